import type { UserOperation } from '@yield-vault/protocol';
import { delegationCode } from '@yield-vault/smart-account';
import { parseGwei } from 'viem';
import { verifyEnvelope, type BookDeployment, type GasLimits } from '../../src/index.js';
import { mergeGasLimits } from '../../src/verify/gas-limits.js';
import { bookOf, local, realDeployment } from '../support/book.js';
import {
  buildExpectations,
  buildPrepared,
  clock,
  deposit,
  depositPrevious,
  expectedDeposit,
  expectedRebalance,
  redeemAll,
} from '../support/build-prepared.js';

const gwei = parseGwei('1');
const envelopes = {
  deposit: { hooks: [deposit], operation: expectedDeposit, vaults: 1n },
  rebalance: { hooks: [redeemAll, depositPrevious], operation: expectedRebalance, vaults: 2n },
} as const;

/** The limits of each field. */
const boundsOf = (limits: GasLimits, vaults: bigint, fee: bigint) =>
  [
    ['maxFeePerGas', 0n, limits.maxFeePerGas],
    ['maxPriorityFeePerGas', 0n, limits.maxPriorityFeePerGas],
    ['preVerificationGas', 0n, limits.maxPreVerificationGas + limits.maxL1FeeWei / fee],
    ['verificationGasLimit', 0n, limits.maxVerificationGas],
    ['callGasLimit', vaults * limits.minCallGas, vaults * limits.maxCallGas],
    ['paymasterVerificationGasLimit', 0n, limits.maxPaymasterVerificationGas],
    ['paymasterPostOpGasLimit', limits.minPostOpGas, limits.maxPostOpGas],
  ] as const;

describe.each<[string, BookDeployment, bigint]>([
  ['Base', realDeployment(8453), parseGwei('0.017')],
  ['Ethereum', realDeployment(1), 3n * gwei],
  ['the local chains', local, parseGwei('1.25')],
])('the gas of %s', (_, deployment, fee) => {
  const { chain, usdc, account } = deployment;
  const limits = mergeGasLimits(deployment);
  const verify = (
    kind: keyof typeof envelopes,
    operation: Partial<UserOperation> = {},
    changes: Partial<GasLimits> = {},
  ) => {
    const { hooks, operation: expected } = envelopes[kind];
    const envelope = buildPrepared({
      deployment,
      hooks: hooks.map((hook) => ({ ...hook, token: usdc })),
      operation: { maxFeePerGas: fee, ...operation },
    });
    const walletCode = delegationCode(account);
    const expectations = buildExpectations({ ...changes, chain, walletCode, operation: expected });
    const addressBook = bookOf(deployment);
    return verifyEnvelope(envelope, expectations, { addressBook, ...clock });
  };
  const unlimited = { maxGasUsdc: 10n ** 30n };

  describe.each(['deposit', 'rebalance'] as const)('in a %s', (kind) => {
    const bounds = boundsOf(limits, envelopes[kind].vaults, fee);

    it.each(bounds)('error: one past the ceiling, or below the floor, of %s', (name, least, most) => {
      for (const value of [least, most])
        expect(verify(kind, { [name]: value }, unlimited)).toMatchObject({ ok: true });
      const [low, high] = [least - 1n, most + 1n];
      const field = `userOps.0.userOperation.${name.startsWith('paymaster') ? 'paymasterAndData' : name}`;
      expect(verify(kind, { [name]: high }, unlimited)).toEqual({
        ok: false,
        reason: 'GAS_TOO_EXPENSIVE',
        field,
        detail: `${name} is ${high}, above ${most}.`,
      });
      if (least === 0n) return;
      expect(verify(kind, { [name]: low })).toEqual({
        ok: false,
        reason: 'GAS_TOO_LOW',
        field,
        detail: `${name} is ${low}, below ${least}.`,
      });
    });

    it('behavior: the highest cost passes to the last unit', () => {
      const result = verify(kind);
      if (!result.ok) throw new Error(result.detail);
      const gas = result.effects.find(({ effect }) => effect === 'pay-gas');
      const maxGasUsdc = (gas as { maxUsdc: bigint }).maxUsdc;
      expect(verify(kind, {}, { maxGasUsdc }).ok).toBe(true);
      expect(verify(kind, {}, { maxGasUsdc: maxGasUsdc - 1n })).toMatchObject({
        reason: 'GAS_TOO_EXPENSIVE',
        field: 'userOps.0.userOperation',
        detail: expect.stringMatching(`may cost ${maxGasUsdc} .*, above ${maxGasUsdc - 1n}`) as string,
      });
    });
  });
});

it('behavior: a fee of 1 gwei passes on Base, and of 60 gwei on Ethereum', () => {
  expect(mergeGasLimits({ chainId: 8453 }).maxFeePerGas).toBe(gwei);
  expect(mergeGasLimits({ chainId: 1 }).maxFeePerGas).toBe(60n * gwei);
});

it('behavior: a chain without limits of its own has those of Base, and a later limit counts', () => {
  expect(mergeGasLimits({ chainId: 424_242 })).toEqual(mergeGasLimits({ chainId: 8453 }));
  const own = { chainId: 424_242, gasLimits: { maxCallGas: 7n } };
  expect(mergeGasLimits(own).maxCallGas).toBe(7n);
  expect(mergeGasLimits(own, { maxCallGas: 8n }).maxCallGas).toBe(8n);
});
