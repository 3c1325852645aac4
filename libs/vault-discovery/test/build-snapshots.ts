import { vaultIdOf } from '@yield-vault/protocol';
import type { TrackedVault } from '../src/catalogue/check-vaults.js';
import type { RegistryEntry } from '../src/catalogue/parse-registry.js';
import type { Snapshot } from '../src/ports.js';
import { buildRegistryEntry } from './build-registry-entry.js';

export function buildTrackedVault(overrides: Partial<RegistryEntry> = {}, id = 1): TrackedVault {
  const entry = buildRegistryEntry(overrides);
  return { entry, id, vaultId: vaultIdOf(entry.chainId, entry.address), shareDecimals: 18 };
}

export function buildSnapshot(overrides: Partial<Snapshot> = {}): Snapshot {
  return {
    vault: 1,
    t: 1_790_000_000,
    block: 1n,
    sharePrice: 10n ** 12n,
    totalAssets: 25_000_000_000_000n,
    totalSupply: 25_000_000n * 10n ** 18n,
    priceUsd: 1,
    priceSource: 0,
    origin: 0,
    ...overrides,
  };
}

/** Hourly snapshots up to `end` that grow by `apyPercent` a year. */
export function buildHourlySnapshots(
  options: { readonly end: number; readonly hours: number; readonly apyPercent?: number },
  overrides: Partial<Snapshot> = {},
): Snapshot[] {
  const { end, hours, apyPercent = 5 } = options;
  return Array.from({ length: hours + 1 }, (_, hour) => {
    const growth = (1 + apyPercent / 100) ** ((hour * 3_600) / 31_536_000);
    return buildSnapshot({
      t: end - (hours - hour) * 3_600,
      block: BigInt(hour),
      sharePrice: BigInt(Math.round(growth * 1e12)),
      ...overrides,
    });
  });
}
