import type { ActiveChain } from '@yield-vault/chains';
import { vaultIdOf } from '@yield-vault/protocol';
import { checkVaults, type CheckedEntry } from '../catalogue/check-vaults.js';
import { correctEntry } from '../catalogue/correct-entry.js';
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

/** The vaults of a chain. */
export interface Members {
  /** Sampled. */
  readonly vaults: readonly TrackedVault[];
  /** Known by what the chain says, so that they can be left, and not sampled. */
  readonly contradicted: readonly TrackedVault[];
  /** Those that are contradicted, and entries without a vault. */
  readonly dropped: readonly DroppedRecord[];
}

/** Keeps up with the catalogue. */
export interface Membership {
  /**
   * Look at the catalogue again. What is new in it is compared with the chain first; what the chain contradicts is
   * not sampled, and looked at again every hour.
   */
  update(signal: AbortSignal): Promise<Members>;
}

interface Standing {
  readonly entry: RegistryEntry;
  /** Undefined where the entry has none on the chain. */
  readonly vault: TrackedVault | undefined;
  /** How the chain contradicts the entry; undefined where it does not. */
  readonly reason: string | undefined;
  readonly checkedAtMs: number;
}

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
    return known.reason !== undefined && performance.now() - known.checkedAtMs >= recheckMs;
  };

  /** Give vaults their ids. */
  const adopt = async (checked: readonly CheckedEntry[]): Promise<ReadonlyMap<string, TrackedVault>> => {
    const identified = checked.map((vault) => ({
      ...vault,
      entry: { ...vault.entry, chain: key },
      vaultId: vaultIdOf(chainId, vault.entry.address),
    }));
    const ids = await store.register(
      identified.map(({ vaultId, entry: { address } }) => ({ vaultId, chainId, address })),
    );
    return new Map(
      identified.map((vault) => [vault.entry.address, { ...vault, id: ids.get(vault.vaultId)! }]),
    );
  };

  const check = async (
    entries: readonly RegistryEntry[],
    all: readonly RegistryEntry[],
  ): Promise<ReadonlyMap<string, Standing>> => {
    const { checked, mismatches } = await checkVaults(rpc, entries, batchSize);
    const corrected = mismatches.flatMap(({ entry, contradictions, onChain }) =>
      onChain ? [{ ...correctEntry(entry, onChain, all), contradictions }] : [],
    );
    const vaults = await adopt([...checked, ...corrected]);
    const checkedAtMs = performance.now();
    for (const { entry, reason } of mismatches)
      if (!standings.has(entry.address))
        logger.warn(
          { chain: key, address: entry.address, name: entry.name, reason },
          'vault not offered: the chain contradicts the catalogue',
        );
    const reasons = new Map(mismatches.map(({ entry, reason }) => [entry.address, reason]));
    return new Map(
      entries.map((entry) => {
        const { address } = entry;
        return [address, { entry, vault: vaults.get(address), reason: reasons.get(address), checkedAtMs }];
      }),
    );
  };

  /** What the catalogue says of a vault may change at any time: its risk facts, its flags. */
  const withNewFacts = (standing: Standing, entry: RegistryEntry): Standing => {
    const { vault } = standing;
    if (standing.entry === entry || !vault) return standing;
    const { asset } = vault.entry;
    return { ...standing, entry, vault: { ...vault, entry: { ...entry, chain: key, asset } } };
  };

  return {
    update: async (signal) => {
      const entries = await entriesNow(signal);
      const fresh = await check(entries.filter(isToBeChecked), entries);
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
      const vaults = all.flatMap(({ vault }) => vault ?? []);
      return {
        vaults: vaults.filter(({ contradictions }) => contradictions === undefined),
        contradicted: vaults.filter(({ contradictions }) => contradictions !== undefined),
        dropped: all.flatMap(({ entry, reason }) =>
          reason === undefined ? [] : [toDropped(chainId, entry, reason)],
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
