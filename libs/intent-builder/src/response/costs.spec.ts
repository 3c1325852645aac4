import type { Earning } from '@yield-vault/vault-metrics';
import { costsOf, exitGasOf } from './costs.js';

const earning: Earning = { assetsUsd: 1_000, apy: 5, apyBefore: 0 };
const daysFor = (change: Partial<Earning>, gas = 1_500_000n) =>
  costsOf(gas, gas, { ...earning, ...change }).breakEvenDays;

describe('costsOf', () => {
  it('default: the deposit has grown by both costs on the last day', () => {
    const { gasUsd, exitGasUsd, breakEvenDays } = costsOf(1_500_000n, 500_000n, earning);
    expect([gasUsd, exitGasUsd]).toEqual([1.5, 0.5]);
    expect(1_000 * 1.05 ** (breakEvenDays! / 365)).toBeCloseTo(1_002, 9);
  });

  it('behavior: a rebalance counts its gain over the source', () => {
    const days = daysFor({ apyBefore: 3 });
    expect(1_000 * (1.05 / 1.03) ** (days! / 365)).toBeCloseTo(1_003, 9);
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
    expect(costsOf(10n, 0n)).toEqual({ gasUsd: 0.00001, exitGasUsd: 0, breakEvenDays: null });
  });
});

describe('exitGasOf', () => {
  const bareGas = {
    callGasLimit: 60_000n,
    verificationGasLimit: 40_000n,
    preVerificationGas: 50_000n,
    paymasterVerificationGasLimit: 59_000n,
    paymasterPostOpGasLimit: 11_000n,
  };

  it('default: as much as a deposit or a redeem', () => {
    expect(exitGasOf('deposit', bareGas, false)).toBe(220_000n);
    expect(exitGasOf('redeem', bareGas, false)).toBe(220_000n);
  });

  it('behavior: half the call of a rebalance', () => {
    expect(exitGasOf('rebalance', bareGas, false)).toBe(190_000n);
  });

  it('behavior: neither the setup of a first operation nor its authorization counts', () => {
    const first = { ...bareGas, verificationGasLimit: 60_000n, paymasterVerificationGasLimit: 126_000n };
    expect(exitGasOf('deposit', { ...first, preVerificationGas: 75_000n }, true)).toBe(222_000n);
  });
});
