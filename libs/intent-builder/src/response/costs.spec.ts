import type { UserOperation } from '@yield-vault/protocol';
import { buildRankedVault } from '@yield-vault/testing';
import type { Earning } from '@yield-vault/vault-metrics';
import { buildRequest, buildSnapshot, buildTerms } from '../../test/build-request.js';
import type { CheckedRequest } from '../types.js';
import { costsOf, exitGasOf, gasFigures, setupCostsOf } from './costs.js';
import { createPricer } from './estimate-costs.js';

const earning: Earning = { assetsUsd: 1_000, apy: 5, apyBefore: 0 };
const daysFor = (change: Partial<Earning>, gas = 1_500_000n) =>
  costsOf({ expected: gas, exit: gas, exitBefore: 0n }, { ...earning, ...change }).breakEvenDays;

describe('costsOf', () => {
  it('default: the deposit has grown by both costs on the last day', () => {
    const { gasUsd, exitGasUsd, breakEvenDays } = costsOf(
      { expected: 1_500_000n, exit: 500_000n, exitBefore: 0n },
      earning,
    );
    expect([gasUsd, exitGasUsd]).toEqual([1.5, 0.5]);
    expect(1_000 * 1.05 ** (breakEvenDays! / 365)).toBeCloseTo(1_002, 9);
  });

  it('behavior: a rebalance counts its gain over the source, and what its exit costs more', () => {
    const days = (exitBefore: bigint) =>
      costsOf({ expected: 1_500_000n, exit: 700_000n, exitBefore }, { ...earning, apyBefore: 3 })
        .breakEvenDays!;
    expect(1_000 * (1.05 / 1.03) ** (days(500_000n) / 365)).toBeCloseTo(1_001.7, 9);
    expect(days(2_300_000n)).toBe(0);
  });

  it.each<[string, Partial<Earning>]>([
    ['an APY of zero', { apy: 0 }],
    ['a negative APY', { apy: -2 }],
    ['a vault that has lost everything', { apy: -100 }],
    ['an APY that makes no sense', { apy: -101 }],
    ['a target no better than the source', { apyBefore: 5 }],
    ['an asset without a price', { assetsUsd: 0 }],
  ])('behavior: never with %s', (_, change) => {
    expect(daysFor(change)).toBeNull();
  });

  it('behavior: at once where gas is free, whatever the yield', () => {
    expect(daysFor({ apy: -1 }, 0n)).toBe(0);
  });

  it('behavior: no time for a redeem', () => {
    expect(costsOf({ expected: 10n, exit: 0n, exitBefore: 0n })).toEqual({
      gasUsd: 0.00001,
      exitGasUsd: 0,
      breakEvenDays: null,
    });
  });
});

describe('setupCostsOf', () => {
  const fees = {
    maxFeePerGas: 1n,
    maxPriorityFeePerGas: 1n,
    presentFeePerGas: 10n ** 9n,
    l1FeeWei: 10n ** 13n,
  };
  const redeemed = { value: 1_000_000_000n };
  const setupCosts = (request: Partial<CheckedRequest>) =>
    setupCostsOf(buildRequest(request), { terms: buildTerms(), fees, redeemed });
  const target = buildRankedVault({
    apy: { now: 7, week: 7, month: 7 },
    gas: { deposit: 110_000, redeem: 220_000 },
  });

  it('default: the yield pays for the setup, too', () => {
    const { setupGasUsd, gasUsd, exitGasUsd, breakEvenDays } = setupCosts({ assets: 1_000_000_000n })!;
    // 3 USDC for a million gas, with the 10k gas of the L1 fee.
    expect(setupGasUsd).toBeCloseTo(0.111, 6);
    expect(gasUsd).toBeCloseTo(3e-6 * (143_000 + 110_000 + 11_200 + 10_000), 5);
    const grown = 1_000 * 1.05 ** (breakEvenDays! / 365);
    expect(grown - 1_000).toBeCloseTo(setupGasUsd + gasUsd + exitGasUsd, 9);
  });

  it('behavior: a rebalance counts the difference of the exits, and a redeem nothing', () => {
    const rebalance = setupCosts({ operation: 'rebalance', target })!;
    const grown = 1_000 * (1.07 / 1.05) ** (rebalance.breakEvenDays! / 365);
    expect(grown - 1_000).toBeCloseTo(rebalance.setupGasUsd + rebalance.gasUsd + 0.3, 5);
    const redeem = setupCosts({ operation: 'redeem', amount: { percentage: 100 } });
    expect(redeem).toMatchObject({ exitGasUsd: 0, breakEvenDays: null });
  });

  it('behavior: null while the paymaster does not respond', () => {
    expect(setupCostsOf(buildRequest(), { terms: undefined, fees, redeemed })).toBeNull();
  });
});

const bareGas = {
  callGasLimit: 60_000n,
  verificationGasLimit: 40_000n,
  preVerificationGas: 50_000n,
  paymasterVerificationGasLimit: 59_000n,
  paymasterPostOpGasLimit: 11_000n,
};

describe('gasFigures', () => {
  const figuresOf = (request: Partial<CheckedRequest>) => {
    const operation = { ...bareGas, maxFeePerGas: 10n ** 9n } as UserOperation;
    return gasFigures(buildRequest(request), buildSnapshot(), { operation, bareGas });
  };
  const vault = buildRankedVault({ gas: { deposit: 100_000, redeem: 90_000 } });

  it('default: an exit costs what quotes say of it, and at most what the bundler says', () => {
    const { exit, exitBefore, mostExit } = figuresOf({ vault });
    expect(exit).toBe(createPricer(buildTerms(), buildSnapshot().fees).priceOf('redeem', vault));
    expect(exitBefore).toBe(0n);
    expect(mostExit).toBeGreaterThan(exit);
  });

  it('behavior: a full redeem leaves no exit; another position may still need one', () => {
    const { exit, mostExit } = figuresOf({ vault, operation: 'redeem', amount: { percentage: 100 } });
    expect(exit).toBe(0n);
    expect(mostExit).toBeGreaterThan(0n);
  });
});

describe('exitGasOf', () => {
  const vault = buildRankedVault({ gas: { deposit: 100_000, redeem: 90_000 } });
  const exitOf = (request: Partial<CheckedRequest> = {}) =>
    exitGasOf(buildRequest({ vault, ...request }), bareGas, false);

  it('behavior: more where redeems of the vault take more', () => {
    const costly = buildRankedVault({ gas: { deposit: 100_000, redeem: 130_000 } });
    expect(exitOf({ vault: costly })).toBe(250_000n);
  });

  it('default: as much as a deposit or a redeem', () => {
    expect(exitOf()).toBe(220_000n);
    expect(exitOf({ operation: 'redeem', amount: { percentage: 50 } })).toBe(220_000n);
  });

  it('behavior: half the call of a rebalance', () => {
    expect(exitOf({ operation: 'rebalance', target: vault })).toBe(190_000n);
  });

  it('behavior: neither the setup of a first operation nor its authorization counts', () => {
    const first = { ...bareGas, verificationGasLimit: 60_000n, paymasterVerificationGasLimit: 126_000n };
    expect(exitGasOf(buildRequest({ vault }), { ...first, preVerificationGas: 75_000n }, true)).toBe(
      222_000n,
    );
  });
});
