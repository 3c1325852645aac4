import { type Address, type PrivateKeyAccount, parseEther, parseGwei } from 'viem';
import { entryPointV08Abi } from '../../src/generated/EntryPointV08.js';
import { drainerAbi, drainerBytecode } from '../generated/Drainer.js';
import { openModuleAbi, openModuleBytecode } from '../generated/OpenModule.js';
import { approveUsdc, configuredAgent, max, pair, usdcPaymasterAndData } from '../support/account.js';
import { bundle, watch } from '../support/bundle.js';
import { entryPoint, useTestChain } from '../support/chain.js';
import { install, sendToSelf } from '../support/modules.js';
import { owned, poke, termsOf } from '../support/paymaster.js';

const deposit = parseEther('0.4885');
// Nearly all that an operation costs is preVerificationGas, which goes to the attacker.
const fee = parseGwei('1');
const preVerificationGas = 3_500_000n;

describe('attack: a stranger buys all ether of the paymaster at its fair price', () => {
  const chain = useTestChain();
  let attacker: PrivateKeyAccount;
  let drainer: Address;
  let module: Address;
  beforeAll(async () => {
    await chain.node.setBlockGasLimit({ gasLimit: 100_000_000n });
    attacker = await configuredAgent(chain, 0n);
    module = await chain.deploy(openModuleAbi, openModuleBytecode);
    await sendToSelf(chain, attacker, install(1n, module));
    drainer = await chain.deploy(drainerAbi, drainerBytecode, [chain.usdc, entryPoint, attacker.address]);
    await approveUsdc(chain, attacker, drainer, max);
    await chain.setUsdc(drainer, 10n ** 12n);
    const held = await chain.read(entryPoint, entryPointV08Abi, 'balanceOf', [chain.paymaster]);
    await owned(chain, 'withdrawDeposit', [attacker.address, held - deposit]);
  });

  it('afterwards the paymaster still serves others', async () => {
    const victim = await configuredAgent(chain);
    const userOp = await poke(chain, victim);
    const gains = await watch(chain, { attacker: attacker.address, drainer, paymaster: chain.paymaster });
    const drained = {
      sender: attacker.address,
      nonce: BigInt(module) << 96n,
      initCode: '0x',
      callData: '0x',
      accountGasLimits: pair(60_000n, 0n),
      preVerificationGas,
      gasFees: pair(fee, fee),
      paymasterAndData: usdcPaymasterAndData(60_000n, 40_000n, chain),
      signature: '0x',
    } as const;
    const send = async (times: bigint) => {
      await chain.node.setNextBlockBaseFeePerGas({ baseFeePerGas: parseGwei('0.01') });
      return chain.mined(
        chain.walletOf(attacker).writeContract({
          address: drainer,
          abi: drainerAbi,
          functionName: 'drain',
          args: [drained, 10_000_000n, times],
          gas: 90_000_000n,
          maxFeePerGas: parseGwei('0.01'),
          maxPriorityFeePerGas: 0n,
        }),
      );
    };
    // One transaction of 9.1M gas.
    await send(138n);
    const after = await gains();
    const { usdcPerNative } = await termsOf(chain);
    const paid = ((-after.attacker.usdc - after.drainer.usdc) * 10n ** 18n) / usdcPerNative;
    const loss = paid - after.attacker.wei;
    // Measured: 5.04 % of the deposit.
    expect((loss * 10_000n) / deposit).toBeLessThanOrEqual(510n);
    const bundler = await chain.agent();
    expect((await bundle(chain, bundler, [userOp])).receipt.status).toBe('success');
  });
});
