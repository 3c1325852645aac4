import type { ActiveChain } from '@yield-vault/chains';
import { vaultIdOf } from '@yield-vault/protocol';
import { checkVaults, type CheckedEntry } from '../catalogue/check-vaults.js';
import type { Catalogue } from '../catalogue/create-catalogue.js';
import type { TrackedVault } from '../chain/sample-block.js';
import { hourSeconds } from '../metrics/statistics.js';
import type { DroppedRecord, LoggerPort, SnapshotStore } from '../ports.js';
import type { RegistryEntry } from '../types.js';

const recheckMs = hourSeconds * 1_000;

export interface MembershipDeps {
  readonly chain: Pick<ActiveChain, 'chainId' | 'key' | 'rpc'>;
  readonly catalogue: Pick<Catalogue, 'entries'>;
  readonly store: Pick<SnapshotStore, 'register'>;
  readonly batchSize: number;
  readonly logger: LoggerPort;
}

/** Who is sampled on a chain. */
export interface Members {
  readonly vaults: readonly TrackedVault[];
  readonly dropped: readonly DroppedRecord[];
}

/** Keeps up with the catalogue. */
export interface Membership {
  /**
   * Look at the catalogue again. What is new in it is compared with the chain first; what the chain contradicts is
   * dropped, and looked at again every hour.
   */
  update(signal: AbortSignal): Promise<Members>;
}

type Standing =
  | { readonly entry: RegistryEntry; readonly vault: TrackedVault }
  | { readonly entry: RegistryEntry; readonly reason: string; readonly checkedAtMs: number };

/** Begin without vaults. */
export function createMembership({ chain, catalogue, store, batchSize, logger }: MembershipDeps): Membership {
  const { chainId, key, rpc } = chain;
  let standings = new Map<string, Standing>();
  let known: readonly RegistryEntry[] | undefined;

  const entriesNow = async (signal: AbortSignal): Promise<readonly RegistryEntry[]> => {
    try {
      known = await catalogue.entries(chainId, signal);
    } catch (err) {
      if (!known) throw err;
      logger.warn({ chain: key, err }, 'the catalogue does not answer: its last answer stays');
    }
    return known;
  };

  const isToBeChecked = (entry: RegistryEntry): boolean => {
    const known = standings.get(entry.address);
    if (!known || !isSameContract(known.entry, entry)) return true;
    return 'reason' in known && performance.now() - known.checkedAtMs >= recheckMs;
  };

  /** Give confirmed entries their ids. */
  const adopt = async (checked: readonly CheckedEntry[]): Promise<TrackedVault[]> => {
    const identified = checked.map(({ entry, shareDecimals }) => ({
      entry: { ...entry, chain: key },
      shareDecimals,
      vaultId: vaultIdOf(chainId, entry.address),
    }));
    const ids = await store.register(
      identified.map(({ vaultId, entry: { address } }) => ({ vaultId, chainId, address })),
    );
    return identified.map((vault) => ({ ...vault, id: ids.get(vault.vaultId)! }));
  };

  const check = async (entries: readonly RegistryEntry[]): Promise<ReadonlyMap<string, Standing>> => {
    const { checked, mismatches } = await checkVaults(rpc, entries, batchSize);
    const adopted = await adopt(checked);
    const checkedAtMs = performance.now();
    for (const { entry, reason } of mismatches)
      if (!standings.has(entry.address))
        logger.warn(
          { chain: key, address: entry.address, name: entry.name, reason },
          'vault dropped: the chain contradicts the catalogue',
        );
    return new Map<string, Standing>([
      ...adopted.map((vault) => [vault.entry.address, { entry: vault.entry, vault }] as const),
      ...mismatches.map(({ entry, reason }) => [entry.address, { entry, reason, checkedAtMs }] as const),
    ]);
  };

  /** What the catalogue says of a vault may change at any time: its risk facts, its flags. */
  const withNewFacts = (standing: Standing, entry: RegistryEntry): Standing => {
    if (standing.entry === entry || 'reason' in standing) return standing;
    return { entry, vault: { ...standing.vault, entry: { ...entry, chain: key } } };
  };

  return {
    update: async (signal) => {
      const entries = await entriesNow(signal);
      const fresh = await check(entries.filter(isToBeChecked));
      standings = new Map(
        entries.map(
          (entry) =>
            [
              entry.address,
              fresh.get(entry.address) ?? withNewFacts(standings.get(entry.address)!, entry),
            ] as const,
        ),
      );
      const all = [...standings.values()];
      return {
        vaults: all.flatMap((standing) => ('vault' in standing ? [standing.vault] : [])),
        dropped: all.flatMap((standing) =>
          'reason' in standing ? [toDropped(chainId, standing.entry, standing.reason)] : [],
        ),
      };
    },
  };
}

const isSameContract = (a: RegistryEntry, b: RegistryEntry): boolean =>
  a.asset.address === b.asset.address &&
  a.asset.decimals === b.asset.decimals &&
  a.asset.symbol === b.asset.symbol;

const toDropped = (chainId: number, { address, name }: RegistryEntry, reason: string): DroppedRecord => ({
  ...{ chainId, address, name, reason },
});
