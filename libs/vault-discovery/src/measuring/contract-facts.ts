import type { Governance } from '@yield-vault/protocol';
import type { AdminInput } from '@yield-vault/vault-metrics';
import { currentFacts } from '../catalogue/current-facts.js';
import type { RegistryEntry, VaultFacts } from '../catalogue/parse-registry.js';
import { adminDanger } from '../governance/read-accounts.js';
import type { ContractFacts } from '../ports.js';

/** Choose who can change a vault: the worse of the chain's own facts and the reviewed ones, because contracts can pretend. */
function adminOf(
  facts: VaultFacts,
  contract: ContractFacts | undefined,
): AdminInput & Pick<Governance, 'source'> {
  const { admin, timelockSeconds, safeThreshold: threshold } = contract?.governance ?? {};
  const safeThreshold = threshold ?? undefined;
  const reviewed = {
    source: 'registry' as const,
    admin: facts.admin,
    timelock: facts.timelockSeconds,
    safeThreshold,
  };
  if (!admin) return reviewed;
  const read = { source: 'chain' as const, admin, timelock: timelockSeconds ?? undefined, safeThreshold };
  const isComplete = !facts.admin && !contract?.isAdminPartial;
  return isComplete || adminDanger(read) >= adminDanger(reviewed) ? read : reviewed;
}

/** Join the facts of the chain with the current reviewed ones; the chain's override. */
export function riskFacts(
  entry: RegistryEntry,
  contract: ContractFacts | undefined,
  now: number,
): Omit<VaultFacts, 'admin' | 'timelockSeconds'> & AdminInput {
  const facts = currentFacts(entry, now);
  const { source: _, ...admin } = adminOf(facts, contract);
  return { ...facts, ...contract?.words, ...admin };
}

/** Who can change a vault, with the source that was used. */
export function governanceOf(
  entry: RegistryEntry,
  contract: ContractFacts | undefined,
  now: number,
): Governance {
  const { source, admin, timelock } = adminOf(currentFacts(entry, now), contract);
  const seconds =
    source === 'chain' ? contract?.checkedAt : entry.reviewed && Date.parse(entry.reviewed) / 1_000;
  return {
    ...(contract?.governance ?? unread),
    source,
    checkedAt: seconds ? new Date(seconds * 1_000).toISOString() : null,
    admin: (admin as Governance['admin']) ?? null,
    timelockSeconds: timelock ?? null,
  };
}

/** What no contract says. */
export const unread = {
  owner: null,
  curator: null,
  guardian: null,
  safeThreshold: null,
  safeOwners: null,
  pendingChanges: [],
} as const;

/** Flags of a vault, with those of its contracts. */
export const flagsOf = ({ flags }: RegistryEntry, contract: ContractFacts | undefined): readonly string[] => [
  ...flags,
  ...(contract?.flags ?? []),
  ...(contract?.governance.pendingChanges.some(({ loosens }) => loosens) ? ['pending-change'] : []),
];
