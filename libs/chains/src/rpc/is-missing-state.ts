import { RpcRequestError } from 'viem';
import { walkCauses } from './walk-causes.js';

/** As geth, Erigon, Nethermind, Reth, Besu and the large providers word it. */
const wordings = [
  /missing trie node/,
  /metadata is not found/,
  /layer stale/,
  /state .*(not |un)available/,
  /no (historical )?state/,
  /pruned/,
  /archive (state|data|node|request|mode)/,
];

/**
 * Tell whether a node answered that it lacks the state of an old block: no outage and no revert. Another node may
 * have it; the RPC client of a chain asks them all before it throws such an error.
 */
export function isMissingState(error: unknown): boolean {
  const answer = walkCauses(error).find((cause) => cause instanceof RpcRequestError);
  return answer !== undefined && wordings.some((wording) => wording.test(answer.details.toLowerCase()));
}
