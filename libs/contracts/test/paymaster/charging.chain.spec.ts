import { type Hex, type PrivateKeyAccount, erc20Abi, parseEther, zeroHash } from 'viem';
import { usdcPaymasterAbi } from '../../src/generated/UsdcPaymaster.js';
import { paymasterCharge } from '../../src/paymaster-cost.js';
import { localUsdcAbi } from '../generated/LocalUsdc.js';
import {
  approvePaymasterHook,
  approveUsdc,
  configuredAgent,
  executorCall,
  max,
  pair,
  signedOp,
  singleCall,
  transferCall,
  usdcPaymasterAndData,
} from '../support/account.js';
import { handleOps, prefundIn, watch } from '../support/bundle.js';
import { encode } from '../support/calls.js';
import {
  entryPoint,
  ethUsd,
  localContracts,
  operator,
  undoEachTest,
  undone,
  useTestChain,
} from '../support/chain.js';
import { owned, poke, rateOf, usdcOf } from '../support/paymaster.js';
import { handleOpsRevert, revertOf } from '../support/reverts.js';

// The limits that buildUserOp sets, and its fee cap.
const totalGas = 150_000n + 300_000n + 60_000n + 120_000n + 40_000n;
const maxFeePerGas = 3_000_000_000n;
// Whatever the base fee is.
const gasFees = pair(maxFeePerGas, maxFeePerGas);
const unpaid = ['AA34 signature error'];
const { paymaster } = localContracts;

describe('UsdcPaymaster: charging', () => {
  const chain = useTestChain();
  let agent: PrivateKeyAccount;
  undoEachTest(chain);
  beforeEach(async () => {
    agent = await configuredAgent(chain);
  });

  const prefundFor = async (postOpGasLimit = 40_000n) =>
    paymasterCharge({
      tokenPerNative: await rateOf(chain),
      gas: totalGas - 40_000n + postOpGasLimit,
      feePerGas: maxFeePerGas,
      postOpGasLimit,
    });
  const pokeRevert = async () => handleOpsRevert(chain, await poke(chain, agent));
  /** Run an operation. @returns what became of it, and the gains */
  const run = async (callData: Hex, overrides = {}) => {
    const userOp = await signedOp(chain, agent, callData, overrides);
    const gains = await watch(chain, { agent: agent.address, paymaster });
    return { ...(await handleOps(chain, userOp)), gains: await gains() };
  };

  it.each([500, 0])(
    'default: returns the unused part, and never loses money, at a markup of %d',
    async (markup) => {
      await owned(chain, 'setMarkup', [markup]);
      await handleOps(chain, await poke(chain, agent));
      const { outcome, gains } = await run(singleCall(operator.address, '0x', 1n));
      expect(outcome).toMatchObject({ success: true });
      expect(gains.agent.usdc).toBe(-outcome.charged!);
      expect(gains.paymaster).toEqual({ usdc: outcome.charged, wei: 0n, deposit: -outcome.billed });
      // Income at the plain price covers what the entry point took.
      const cost = (outcome.billed * ethUsd) / 10n ** 20n;
      expect(outcome.charged).toBeGreaterThan(cost);
      expect(outcome.charged).toBeLessThan(cost * 2n);
    },
  );

  it.each([40_000n, 40_001n, 500_000n])(
    'behavior: the prefund is that of paymasterCharge at %d for postOp',
    async (limit) => {
      const paymasterAndData = usdcPaymasterAndData(120_000n, limit);
      const { receipt } = await handleOps(chain, await poke(chain, agent, { paymasterAndData }));
      expect(prefundIn(receipt)).toBe(await prefundFor(limit));
    },
  );

  it('behavior: a refund to an empty balance costs more gas, one to a base unit does not', async () => {
    const prefund = await prefundFor();
    const chargeThatLeaves = (left: bigint) =>
      undone(chain, async () => {
        const amount = (await usdcOf(chain, agent.address)) - prefund - left;
        const { gains } = await run(transferCall(chain, operator.address, amount), { gasFees });
        return gains.paymaster.usdc;
      });
    const more = (await chargeThatLeaves(0n)) - (await chargeThatLeaves(1n));
    const emptyBalanceGas = await chain.read(paymaster, usdcPaymasterAbi, 'EMPTY_BALANCE_GAS');
    const rate = await rateOf(chain);
    expect(emptyBalanceGas).toBe(17_200n);
    expect(more - (emptyBalanceGas * maxFeePerGas * rate) / 10n ** 18n).toBeLessThanOrEqual(1n);
    expect(more).toBeGreaterThan((17_100n * maxFeePerGas * rate) / 10n ** 18n);
  });

  it('behavior: charges a reverted operation too', async () => {
    const { outcome, gains } = await run(executorCall(approvePaymasterHook(max)));
    expect(outcome.success).toBe(false);
    expect(gains.agent.usdc).toBe(-outcome.charged!);
  });

  it('attack: an operation that takes the paymaster its allowance, and empties the account, still pays', async () => {
    const revoke = encode(erc20Abi, 'approve', [paymaster, 0n]);
    for (const callData of [
      singleCall(chain.usdc, revoke),
      transferCall(chain, operator.address, 950_000_000n),
    ]) {
      expect((await undone(chain, () => run(callData))).gains.paymaster.usdc).toBeGreaterThan(0n);
    }
  });

  it('error: AA34 without the balance or the allowance', async () => {
    await chain.setUsdc(agent.address, 1n);
    expect(await pokeRevert()).toEqual(unpaid);
    await chain.setUsdc(agent.address, 1_000_000_000n);
    await approveUsdc(chain, agent, paymaster, 1n);
    expect(await pokeRevert()).toEqual(unpaid);
  });

  it('error: AA31 without a deposit', async () => {
    await owned(chain, 'withdrawDeposit', [operator.address, parseEther('100')]);
    expect(await pokeRevert()).toEqual(['AA31 paymaster deposit too low']);
  });

  it('error: PaymasterCostAboveCeiling', async () => {
    const cost = await prefundFor();
    await owned(chain, 'setOperationCeiling', [cost - 1n]);
    expect(await pokeRevert()).toEqual(['AA33 reverted', 'PaymasterCostAboveCeiling', cost, cost - 1n]);
    await owned(chain, 'setOperationCeiling', [cost]);
    expect((await handleOps(chain, await poke(chain, agent))).outcome.success).toBe(true);
  });

  it('error: PaymasterOperationTooLong above 8 KiB', async () => {
    // What surrounds the call data of a signed operation in the entry point's call.
    const around = 580n + 96n;
    const longest = await chain.read(paymaster, usdcPaymasterAbi, 'MAX_OPERATION_BYTES');
    const signed = (length: bigint) => signedOp(chain, agent, `0x${'00'.repeat(Number(length))}`);
    await handleOps(chain, await signed(longest - around));
    const refusal = await handleOpsRevert(chain, await signed(longest - around + 1n));
    expect(refusal).toEqual(['AA33 reverted', 'PaymasterOperationTooLong', longest + 32n]);
  });

  it('error: the largest cost there is exceeds every ceiling', async () => {
    const most = 2n ** 64n - 1n;
    await owned(chain, 'setOperationCeiling', [most]);
    const args = [await poke(chain, agent), zeroHash, max] as const;
    const data = encode(usdcPaymasterAbi, 'validatePaymasterUserOp', args);
    const refusal = await revertOf(chain, { from: entryPoint, to: paymaster, data });
    expect([refusal[0], refusal[2]]).toEqual(['PaymasterCostAboveCeiling', most]);
  });

  it('error: PaymasterERC20FailedRefund charges the whole prefund (a sender blacklisted meanwhile)', async () => {
    // The sender's own call makes the token refuse it: here by blacklisting through a role it holds.
    await chain.node.setStorageAt({
      address: chain.usdc,
      index: 2,
      value: `0x${'00'.repeat(12)}${agent.address.slice(2)}`,
    });
    const blacklist = encode(localUsdcAbi, 'blacklist', [agent.address]);
    const { outcome, receipt, gains } = await run(singleCall(chain.usdc, blacklist));
    expect(gains.paymaster.usdc).toBe(prefundIn(receipt));
    expect(outcome).toMatchObject({ success: false, charged: undefined });
  });
});
