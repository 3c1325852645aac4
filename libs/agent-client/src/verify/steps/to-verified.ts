import type { AddressBook, VerifiedEnvelope } from '../types.js';
import { effectsOf } from './effects-of.js';
import type { RecomputedEnvelope } from './recompute-envelope.js';
import { summarise } from './summarise.js';

/** Answer with what was recomputed, and with what it does. */
export function toVerified(
  recomputed: RecomputedEnvelope,
  maxEthUsd: number,
  book: AddressBook,
): VerifiedEnvelope {
  const { operation: _, hooks: __, ...facts } = recomputed;
  const effects = effectsOf(recomputed, maxEthUsd);
  return { ok: true, ...facts, effects, summary: summarise(effects, facts.envelope.chainId, book) };
}
