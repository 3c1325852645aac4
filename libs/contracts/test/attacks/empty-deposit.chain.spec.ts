import { type Address, type PrivateKeyAccount, parseEther, parseGwei } from 'viem';
import { entryPointV08Abi } from '../../src/generated/EntryPointV08.js';
import { drainerAbi, drainerBytecode } from '../generated/Drainer.js';
import { openModuleAbi, openModuleBytecode } from '../generated/OpenModule.js';
import { approveUsdc, configuredAgent, max, pair, usdcPaymasterAndData } from '../support/account.js';
import { expectRefused, expectRuns, watch } from '../support/bundle.js';
import { entryPoint, useTestChain } from '../support/chain.js';
import { install, sendToSelf } from '../support/modules.js';
import { owned, poke, termsOf } from '../support/paymaster.js';

const deposit = parseEther('0.019');
// Nearly all that an operation costs is preVerificationGas, which goes to the attacker.
const fee = parseGwei('1');
const preVerificationGas = 3_500_000n;

describe('known limit: a stranger buys all ether of the paymaster', () => {
  const chain = useTestChain();
  let attacker: PrivateKeyAccount;
  let drainer: Address;
  let module: Address;
  beforeAll(async () => {
    attacker = await configuredAgent(chain, 0n);
    module = await chain.deploy(openModuleAbi, openModuleBytecode);
    await sendToSelf(chain, attacker, install(1n, module));
    drainer = await chain.deploy(drainerAbi, drainerBytecode, [chain.usdc, entryPoint, attacker.address]);
    await approveUsdc(chain, attacker, drainer, max);
    await chain.setUsdc(drainer, 10n ** 12n);
    const held = await chain.read(entryPoint, entryPointV08Abi, 'balanceOf', [chain.paymaster]);
    await owned(chain, 'withdrawDeposit', [attacker.address, held - deposit]);
  });

  it('it pays at least the markup of 5 % for it, and after a refill others are served', async () => {
    const gains = await watch(chain, { paymaster: chain.paymaster });
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
    await chain.write(drainer, drainerAbi, 'drain', [drained, 10_000_000n, 5n], attacker);
    const { usdc, deposit: spent } = (await gains()).paymaster;
    const { usdcPerNative } = await termsOf(chain);
    expect(usdc * 10n ** 18n * 100n).toBeGreaterThanOrEqual(-spent * usdcPerNative * 105n);

    const userOp = await poke(chain, await configuredAgent(chain));
    const bundler = await chain.agent();
    await expectRefused(chain, bundler, [userOp], ['AA31 paymaster deposit too low']);
    const refill = { functionName: 'depositTo', args: [chain.paymaster], value: deposit } as const;
    await chain.mined(chain.wallet.writeContract({ address: entryPoint, abi: entryPointV08Abi, ...refill }));
    await expectRuns(chain, bundler, userOp, 0n);
  });
});
