import { NoSuitableVaultsError } from '@yield-vault/protocol';
import { buildEntered, buildOrder } from '../../test/build-order.js';
import type { EnteredVaultReadings } from '../types.js';
import { requireSameTokens } from './require-same-tokens.js';

const check = (overrides: Partial<EnteredVaultReadings> = {}) =>
  requireSameTokens(buildOrder(), { entered: buildEntered(overrides) });
const silent = { revertReason: 'NO_REASON' };
const other = '0x00000000000000000000000000000000000000ff';

describe('requireSameTokens', () => {
  it('default: what the catalogue says', () => {
    expect(() => check()).not.toThrow();
  });

  it('behavior: a redeem is never refused for it', () => {
    const order = buildOrder({ instruction: { operation: 'redeem', amount: { percentage: 50 } } });
    expect(() => requireSameTokens(order, { entered: undefined })).not.toThrow();
  });

  it.each<[string, Partial<EnteredVaultReadings>]>([
    ['ASSET_MISMATCH', { asset: { value: other } }],
    ['ASSET_MISMATCH', { asset: silent }],
    ['DECIMALS_MISMATCH', { assetDecimals: { value: 18 } }],
    ['DECIMALS_MISMATCH', { assetDecimals: silent }],
    ['DECIMALS_MISMATCH', { shareDecimals: { value: 6 } }],
    ['DECIMALS_MISMATCH', { shareDecimals: silent }],
  ])('error: NoSuitableVaultsError with hazard %s', (hazard, overrides) => {
    expect(() => check(overrides)).toThrow(NoSuitableVaultsError);
    const { vaultId } = buildOrder().vault;
    expect(() => check(overrides)).toThrow(
      expect.objectContaining({ details: expect.objectContaining({ vaultId, hazard }) as object }) as Error,
    );
  });
});
