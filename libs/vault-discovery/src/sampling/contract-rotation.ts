import type { TrackedVault } from '../catalogue/check-vaults.js';
import type { ContractReader } from '../governance/create-contract-reader.js';
import type { ContractFacts, ContractFactsStore } from '../ports.js';

/** A pending change shows within this time. */
const intervalSeconds = 86_400;
const mostAgeSeconds = 7 * intervalSeconds;
/** Vaults in one refresh: a first start reads thousands. */
const mostAtOnce = 500;

export interface ContractRotationDeps {
  readonly reader: ContractReader;
  readonly store: ContractFactsStore;
  /** Milliseconds, as Date.now. */
  readonly now: () => number;
}

/** Keeps what the contracts of each vault say, no older than a day. */
export interface ContractRotation {
  /** Load the stored facts of vaults. */
  load(vaults: readonly TrackedVault[]): Promise<void>;
  /** Read the vaults that are due. */
  refreshDue(vaults: readonly TrackedVault[], block: bigint, signal: AbortSignal): Promise<void>;
  /** Undefined before the first reading, and where none succeeded for a week. */
  facts(vault: number): ContractFacts | undefined;
}

/** Create a rotation without facts. */
export function createContractRotation({ reader, store, now }: ContractRotationDeps): ContractRotation {
  const known = new Map<number, ContractFacts>();
  const ageOf = (vault: number) => {
    const checkedAt = known.get(vault)?.checkedAt;
    // Absolute, because the clock may have been set back.
    return checkedAt === undefined ? Infinity : Math.abs(now() / 1_000 - checkedAt);
  };
  const keep = (all: readonly ContractFacts[]) => {
    for (const facts of all) known.set(facts.vault, facts);
  };
  return {
    load: async (vaults) => keep(await store.read(vaults.map(({ id }) => id))),
    refreshDue: async (vaults, block, signal) => {
      const due = vaults.filter(({ id }) => ageOf(id) >= intervalSeconds).slice(0, mostAtOnce);
      const found = due.length > 0 ? await reader(due, block, signal) : [];
      keep(found);
      await store.save(found);
    },
    facts: (vault) => (ageOf(vault) <= mostAgeSeconds ? known.get(vault) : undefined),
  };
}
