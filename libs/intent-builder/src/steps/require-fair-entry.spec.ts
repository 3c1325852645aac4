import { NoSuitableVaultsError } from '@yield-vault/protocol';
import { buildListedVault } from '@yield-vault/testing';
import { buildEntered, buildOrder, options } from '../../test/build-order.js';
import type { EnteredVaultReadings, Order } from '../types.js';
import { requireFairEntry } from './require-fair-entry.js';

const quotes = { redeemed: 0n, deposited: 24n * 10n ** 18n };
const check = (
  overrides: Partial<EnteredVaultReadings> = {},
  { deposited = quotes.deposited, order = buildOrder(), thresholds = {} }: Partial<Attempt> = {},
) =>
  requireFairEntry(
    order,
    { entered: buildEntered(overrides) },
    { ...quotes, deposited },
    { ...options, ...thresholds },
  );
interface Attempt {
  readonly deposited: bigint;
  readonly order: Order;
  readonly thresholds: Partial<typeof options>;
}
const hazardOf = (attempt: () => void) => {
  try {
    attempt();
  } catch (error) {
    expect(error).toBeInstanceOf(NoSuitableVaultsError);
    const { vaultId, hazard } = (error as NoSuitableVaultsError).details as Record<string, string>;
    expect(vaultId).toBe(buildOrder().vault.vaultId);
    return hazard;
  }
  return undefined;
};
const silent = { revertReason: 'NotSynchronous' };
const priced = (sharePrice: number) => buildOrder({ vault: buildListedVault({ sharePrice }) });

describe('requireFairEntry', () => {
  it('default: a healthy vault', () => {
    expect(hazardOf(() => check())).toBeUndefined();
  });

  it('behavior: a redeem is never refused', () => {
    const order = buildOrder({ instruction: { operation: 'redeem', amount: { shares: 1n } } });
    expect(() => requireFairEntry(order, { entered: undefined }, quotes, options)).not.toThrow();
  });

  it.each([
    [0n, 'EMPTY_VAULT'],
    [999n, 'EMPTY_VAULT'],
    [1_000n, undefined],
  ])('behavior: %d shares of all: %s', (value, hazard) => {
    expect(hazardOf(() => check({ totalShares: { value } }))).toBe(hazard);
  });

  it('error: a vault that does not say how many shares there are', () => {
    expect(hazardOf(() => check({ totalShares: silent }))).toBe('EMPTY_VAULT');
  });

  it.each([
    [0n, 'TINY_DEPOSIT'],
    [999n, 'TINY_DEPOSIT'],
    [1_000n, undefined],
  ])('behavior: %d shares for the deposit: %s', (deposited, hazard) => {
    expect(hazardOf(() => check({}, { deposited }))).toBe(hazard);
  });

  it.each([
    [24_875_000n, undefined],
    [24_874_999n, 'ROUND_TRIP_LOSS'],
    [0n, 'ROUND_TRIP_LOSS'],
    [25_125_000n, undefined],
    [25_125_001n, 'ROUND_TRIP_GAIN'],
  ])('behavior: %d of 25,000,000 back: %s', (value, hazard) => {
    expect(hazardOf(() => check({ returned: { value } }))).toBe(hazard);
  });

  it('behavior: the return of a rebalance is judged by what the source pays', () => {
    const order = buildOrder({ instruction: { operation: 'rebalance', target: buildListedVault() } });
    const attempt = (redeemed: bigint) => () =>
      requireFairEntry(order, { entered: buildEntered() }, { ...quotes, redeemed }, options);
    expect(hazardOf(attempt(25_000_000n))).toBeUndefined();
    expect(hazardOf(attempt(26_000_000n))).toBe('ROUND_TRIP_LOSS');
  });

  it('behavior: only who names the vault is told to name another one', () => {
    const rebalance = buildOrder({ instruction: { operation: 'rebalance', target: buildListedVault() } });
    const nextAction = (order: Order) => {
      try {
        check({ totalShares: { value: 0n } }, { order });
      } catch (error) {
        return (error as NoSuitableVaultsError).nextAction;
      }
      return undefined;
    };
    expect(nextAction(buildOrder())).toBe('Call discover and choose another vault.');
    expect(nextAction(rebalance)).toBe('Redeem, then deposit into a vault of your choice.');
  });

  it('error: a vault that does not say what its shares pay', () => {
    expect(hazardOf(() => check({ returned: silent }))).toBe('NO_EXIT_QUOTE');
  });

  it.each([
    [1.0417, undefined],
    [1.0215, undefined],
    [1.0205, 'PRICE_JUMP'],
    [1.0625, undefined],
    [1.0635, 'PRICE_JUMP'],
    [0, undefined],
  ])('behavior: a sampled price of %d: %s', (sharePrice, hazard) => {
    expect(hazardOf(() => check({}, { order: priced(sharePrice) }))).toBe(hazard);
  });

  it('behavior: a price that is not told is not compared', () => {
    expect(hazardOf(() => check({ price: silent }))).toBeUndefined();
  });

  it('behavior: the thresholds are settings', () => {
    const thresholds = { maxRoundTripLossBps: 300, maxPriceJumpBps: 600, minShares: 5n };
    const order = priced(1);
    const returned = { value: 24_250_000n };
    expect(hazardOf(() => check({ returned }, { order, thresholds, deposited: 5n }))).toBeUndefined();
  });
});
