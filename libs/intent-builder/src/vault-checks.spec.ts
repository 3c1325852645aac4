import { NoSuitableVaultsError } from '@yield-vault/protocol';
import { buildRankedVault } from '@yield-vault/testing';
import { buildDepositVault, buildRequest, options } from '../test/build-request.js';
import type { DepositVaultReadings, CheckedRequest } from './types.js';
import { checkVaultPrice, checkVaultTokens } from './vault-checks.js';

const quotes = { redeemed: 0n, deposited: 24n * 10n ** 18n };

const check = (
  overrides: Partial<DepositVaultReadings> = {},
  { deposited = quotes.deposited, request = buildRequest(), thresholds = {} }: Partial<Attempt> = {},
) =>
  checkVaultPrice(
    request,
    { depositVault: buildDepositVault(overrides) },
    { ...quotes, deposited },
    { ...options, ...thresholds },
  );

interface Attempt {
  readonly deposited: bigint;
  readonly request: CheckedRequest;
  readonly thresholds: Partial<typeof options>;
}

const failedCheck = (attempt: () => void) => {
  try {
    attempt();
  } catch (error) {
    expect(error).toBeInstanceOf(NoSuitableVaultsError);
    const { vaultId, hazard: check } = (error as NoSuitableVaultsError).details as Record<string, string>;
    expect(vaultId).toBe(buildRequest().vault.vaultId);
    return check;
  }
  return undefined;
};

/** The check that a vault fails; `undefined` for none. */
const judge = (...parts: Parameters<typeof check>) => failedCheck(() => check(...parts));

const silent = { revertReason: 'NotSynchronous' };
const priced = (sharePrice: number) => buildRequest({ vault: buildRankedVault({ sharePrice }) });
const other = '0x00000000000000000000000000000000000000ff';

describe('checkVaultPrice', () => {
  it('default: a healthy vault', () => {
    expect(judge()).toBeUndefined();
  });

  it('behavior: a redeem is never refused', () => {
    const request = buildRequest({ operation: 'redeem', amount: { shares: 1n } });
    expect(() => checkVaultPrice(request, { depositVault: undefined }, quotes, options)).not.toThrow();
  });

  it.each([
    [0n, 'EMPTY_VAULT'],
    [999n, 'EMPTY_VAULT'],
    [1_000n, undefined],
  ])('behavior: %d shares of all: %s', (value, failed) => {
    expect(judge({ totalShares: { value } })).toBe(failed);
  });

  it('error: a vault without a total of its shares', () => {
    expect(judge({ totalShares: silent })).toBe('EMPTY_VAULT');
  });

  it.each([
    [0n, 'TINY_DEPOSIT'],
    [999n, 'TINY_DEPOSIT'],
    [1_000n, undefined],
  ])('behavior: %d shares for the deposit: %s', (deposited, failed) => {
    expect(judge({}, { deposited })).toBe(failed);
  });

  it.each([
    [24_875_000n, undefined],
    [24_874_999n, 'ROUND_TRIP_LOSS'],
    [0n, 'ROUND_TRIP_LOSS'],
    [25_125_000n, undefined],
    [25_125_001n, 'ROUND_TRIP_GAIN'],
  ])('behavior: %d of 25,000,000 back: %s', (value, failed) => {
    expect(judge({ returned: { value } })).toBe(failed);
  });

  it('behavior: the round trip of a rebalance starts from the proceeds of the source', () => {
    const request = buildRequest({ operation: 'rebalance', target: buildRankedVault() });
    const attempt = (redeemed: bigint) => () =>
      checkVaultPrice(request, { depositVault: buildDepositVault() }, { ...quotes, redeemed }, options);
    expect(failedCheck(attempt(25_000_000n))).toBeUndefined();
    expect(failedCheck(attempt(26_000_000n))).toBe('ROUND_TRIP_LOSS');
  });

  it('behavior: the next action says how to name another vault', () => {
    const rebalance = buildRequest({ operation: 'rebalance', target: buildRankedVault() });
    const nextAction = (request: CheckedRequest) => {
      try {
        check({ totalShares: { value: 0n } }, { request });
      } catch (error) {
        return (error as NoSuitableVaultsError).nextAction;
      }
      return undefined;
    };
    expect(nextAction(buildRequest())).toBe('Call discover and choose another vault.');
    expect(nextAction(rebalance)).toBe('Name another vault by targetVaultId, or redeem and deposit.');
  });

  it('error: a vault that quotes no redeem', () => {
    expect(judge({ returned: silent })).toBe('NO_EXIT_QUOTE');
  });

  it.each([
    [1.0417, undefined],
    [1.0215, undefined],
    [1.0205, 'PRICE_JUMP'],
    [1.0625, undefined],
    [1.0635, 'PRICE_JUMP'],
    [0, undefined],
  ])('behavior: a sampled price of %d: %s', (sharePrice, failed) => {
    expect(judge({}, { request: priced(sharePrice) })).toBe(failed);
  });

  it('behavior: a price that reverts is not compared', () => {
    expect(judge({ price: silent })).toBeUndefined();
  });

  it('behavior: the thresholds are settings', () => {
    const thresholds = { maxRoundTripLossBps: 300, maxPriceJumpBps: 600, minShares: 5n };
    const request = priced(1);
    const returned = { value: 24_250_000n };
    expect(judge({ returned }, { request, thresholds, deposited: 5n })).toBeUndefined();
  });
});

describe('checkVaultTokens', () => {
  const checkTokens = (overrides: Partial<DepositVaultReadings> = {}) =>
    checkVaultTokens(buildRequest(), { depositVault: buildDepositVault(overrides) });

  it('default: the tokens of the catalogue', () => {
    expect(() => checkTokens()).not.toThrow();
  });

  it('behavior: a redeem is never refused for it', () => {
    const request = buildRequest({ operation: 'redeem', amount: { percentage: 50 } });
    expect(() => checkVaultTokens(request, { depositVault: undefined })).not.toThrow();
  });

  it.each<[string, Partial<DepositVaultReadings>]>([
    ['ASSET_MISMATCH', { asset: { value: other } }],
    ['ASSET_MISMATCH', { asset: silent }],
    ['DECIMALS_MISMATCH', { assetDecimals: { value: 18 } }],
    ['DECIMALS_MISMATCH', { assetDecimals: silent }],
    ['DECIMALS_MISMATCH', { shareDecimals: { value: 6 } }],
    ['DECIMALS_MISMATCH', { shareDecimals: silent }],
  ])('error: NoSuitableVaultsError with %s', (check, overrides) => {
    expect(() => checkTokens(overrides)).toThrow(NoSuitableVaultsError);
    const { vaultId } = buildRequest().vault;
    expect(() => checkTokens(overrides)).toThrow(
      expect.objectContaining({
        details: expect.objectContaining({ vaultId, hazard: check }) as object,
      }) as Error,
    );
  });
});
