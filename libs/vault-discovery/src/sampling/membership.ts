import type { ActiveChain } from '@yield-vault/chains';
import { vaultIdOf, type LoggerPort } from '@yield-vault/protocol';
import {
  type CheckedEntry,
  checkVaults,
  correctEntry,
  type TrackedVault,
} from '../catalogue/check-vaults.js';
import { hourSeconds } from '@yield-vault/vault-metrics';
import type { RegistryEntry } from '../catalogue/parse-registry.js';
import type { Catalogue } from '../catalogue/create-catalogue.js';
import type { RejectedRecord, SnapshotStore } from '../ports.js';

const recheckMs = hourSeconds * 1_000;

export interface MembershipDeps {
  readonly chain: Pick<ActiveChain, 'chainId' | 'key' | 'rpc'>;
  readonly catalogue: Pick<Catalogue, 'entries'>;
  readonly store: Pick<SnapshotStore, 'register'>;
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

interface MembershipState {
  readonly entry: RegistryEntry;
  /** Undefined where the chain has no vault at the address. */
  readonly vault: TrackedVault | undefined;
  /** Why the chain contradicts the entry; undefined where it confirms it. */
  readonly reason: string | undefined;
  readonly checkedAtMs: number;
}

/** Create a membership without vaults. */
export function createMembership({ chain, catalogue, store, logger }: MembershipDeps): Membership {
  const { chainId, key, rpc } = chain;
  let states = new Map<string, MembershipState>();
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
    const known = states.get(entry.address);
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
  ): Promise<ReadonlyMap<string, MembershipState>> => {
    const { checked, mismatches } = await checkVaults(rpc, entries);
    const corrected = mismatches.flatMap(({ entry, contradictions, onChain }) =>
      onChain ? [{ ...correctEntry(entry, onChain, all), contradictions }] : [],
    );
    const vaults = await adopt([...checked, ...corrected]);
    const checkedAtMs = performance.now();
    for (const { entry, reason } of mismatches)
      if (!states.has(entry.address))
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
  const withNewFacts = (state: MembershipState, entry: RegistryEntry): MembershipState => {
    const { vault } = state;
    if (state.entry === entry || !vault) return state;
    const { asset } = vault.entry;
    return { ...state, entry, vault: { ...vault, entry: { ...entry, chain: key, asset } } };
  };

  return {
    update: async (signal) => {
      const entries = await entriesNow(signal);
      const fresh = await check(entries.filter(isToBeChecked), entries);
      states = new Map(
        entries.map(
          (entry) =>
            [
              entry.address,
              fresh.get(entry.address) ?? withNewFacts(states.get(entry.address)!, entry),
            ] as const,
        ),
      );
      const all = [...states.values()];
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
  chainId,
  address,
  name,
  reason,
});
