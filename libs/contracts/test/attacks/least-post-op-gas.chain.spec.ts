import { type Address, type PrivateKeyAccount } from 'viem';
import { paymasterCharge } from '../../src/paymaster-cost.js';
import { drainerAbi, drainerBytecode } from '../generated/Drainer.js';
import { openModuleAbi, openModuleBytecode } from '../generated/OpenModule.js';
import {
  type PackedUserOperation,
  approveUsdc,
  configuredAgent,
  max,
  pair,
  usdcPaymasterAndData,
} from '../support/account.js';
import { usdcFor, watch } from '../support/bundle.js';
import { entryPoint, useTestChain } from '../support/chain.js';
import { install, sendToSelf } from '../support/modules.js';
import { rateOf } from '../support/paymaster.js';

const fee = 1_000_000_000n;

// REFUND_GAS of the paymaster, and minPostOpGas of agent-client, say that 35,000 gas suffice for the refund.
describe('attack: the least postOp gas that agent-client accepts', () => {
  const chain = useTestChain();
  let account: PrivateKeyAccount;
  let funder: Address;
  let module: Address;
  beforeAll(async () => {
    account = await configuredAgent(chain, 0n);
    module = await chain.deploy(openModuleAbi, openModuleBytecode);
    await sendToSelf(chain, account, install(1n, module));
    funder = await chain.deploy(drainerAbi, drainerBytecode, [chain.usdc, entryPoint, account.address]);
    await approveUsdc(chain, account, funder, max);
    await chain.setUsdc(funder, 10n ** 12n);
    await chain.setUsdc(chain.paymaster, 10n ** 9n);
  });

  /** Run an operation whose account held no USDC before the transaction. @returns what it paid, and the bill in USDC */
  async function run(postOp: bigint) {
    const tokenPerNative = await rateOf(chain);
    const gas = 120_000n + postOp;
    const prefund = paymasterCharge({ tokenPerNative, gas, feePerGas: fee, postOpGasLimit: postOp });
    const userOp: PackedUserOperation = {
      sender: account.address,
      nonce: BigInt(module) << 96n,
      initCode: '0x',
      callData: '0x',
      accountGasLimits: pair(60_000n, 0n),
      preVerificationGas: 0n,
      gasFees: pair(fee, fee),
      paymasterAndData: usdcPaymasterAndData(60_000n, postOp, chain, prefund),
      signature: '0x',
    };
    const gains = await watch(chain, { paymaster: chain.paymaster });
    await chain.write(funder, drainerAbi, 'drain', [userOp, prefund, 1n], account);
    const { usdc, deposit } = (await gains()).paymaster;
    return { paid: usdc, billed: usdcFor(-deposit, tokenPerNative) };
  }

  it.each([35_000n, 36_000n])(
    '%i: the account pays no more than the second attempt above the bill',
    async (postOp) => {
      const { paid, billed } = await run(postOp);
      expect(paid).toBeLessThanOrEqual(billed + usdcFor(5_000n * fee, await rateOf(chain)));
    },
  );
});
