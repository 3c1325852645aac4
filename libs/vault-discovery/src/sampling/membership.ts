import type { ActiveChain } from '@yield-vault/chains';
import { vaultIdOf } from '@yield-vault/protocol';
import { type CheckedEntry, checkVaults, correctEntry } from '../catalogue/check-vaults.js';
import type { Catalogue } from '../catalogue/create-catalogue.js';
import type { TrackedVault } from '../chain/sample-block.js';
import { hourSeconds } from '../metrics/statistics.js';
import type { LoggerPort, RejectedRecord, SnapshotStore } from '../ports.js';
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
  /** Not sampled, but known with the chain's own facts, so that their holders can redeem. */
  readonly contradicted: readonly TrackedVault[];
  /** The entries of contradicted vaults, and entries without a vault. */
  readonly rejected: readonly RejectedRecord[];
}

/** Follows the catalogue. */
export interface Membership {
  /**
   * Read the catalogue again. New entries are compared with the chain first. Entries that the chain contradicts are
   * not sampled, and compared again every hour.
   */
  update(signal: AbortSignal): Promise<Members>;
}

interface Standing {
  readonly entry: RegistryEntry;
  /** Undefined where the chain has no vault at the address. */
  readonly vault: TrackedVault | undefined;
  /** Why the chain contradicts the entry; undefined where it confirms it. */
  readonly reason: string | undefined;
  readonly checkedAtMs: number;
}

/** Create a membership without vaults. */
export function createMembership({ chain, catalogue, store, batchSize, logger }: MembershipDeps): Membership {
  const { chainId, key, rpc } = chain;
  let standings = new Map<string, Standing>();
  let known: readonly RegistryEntry[] | undefined;

  const entriesNow = async (signal: AbortSignal): Promise<readonly RegistryEntry[]> => {
    try {
      known = await catalogue.entries(chainId, signal);
    } catch (err) {
      if (!known) throw err;
      logger.warn({ chain: key, err }, 'the catalogue does not respond: its last entries stay');
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

  /** Apply new facts and flags of the catalogue to a checked vault. */
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
        rejected: all.flatMap(({ entry, reason }) =>
          reason === undefined ? [] : [toRejected(chainId, entry, reason)],
        ),
      };
    },
  };
}

const isSameContract = (a: RegistryEntry, b: RegistryEntry): boolean =>
  a.asset.address === b.asset.address &&
  a.asset.decimals === b.asset.decimals &&
  a.asset.symbol === b.asset.symbol;

const toRejected = (chainId: number, { address, name }: RegistryEntry, reason: string): RejectedRecord => ({
  ...{ chainId, address, name, reason },
});
