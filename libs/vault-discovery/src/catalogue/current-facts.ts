import { daySeconds } from '@yield-vault/vault-metrics';
import type { RegistryEntry, VaultFacts } from './parse-registry.js';

/** A review a year keeps every fact current; the rest is for its delay. */
const mostFactDays = 400;

/** A token keeps its kind. Without the date of an incident, a vault would look safer. */
const lasting: ReadonlySet<string> = new Set<keyof VaultFacts>(['assetClass', 'lastIncident']);

/**
 * List the facts of an entry that count as known. A fact is as old as its evidence, or as the review of the entry. A
 * fact without a date, or older than 400 days, is left out.
 *
 * @param now - Unix seconds
 */
export function currentFacts(
  { facts, evidence = [], reviewed = '' }: Pick<RegistryEntry, 'facts' | 'evidence' | 'reviewed'>,
  now: number,
): VaultFacts {
  const isCurrent = (fact: string) => {
    const date = evidence.find((piece) => piece.facts.some((each) => each === fact))?.date ?? reviewed;
    return lasting.has(fact) || now - Date.parse(date) / 1_000 <= mostFactDays * daySeconds;
  };
  return Object.fromEntries(Object.entries(facts).filter(([fact]) => isCurrent(fact)));
}
