import type { IntentRecord } from '../ports.js';
import type { VerifiedIntent } from '../types.js';
import { locateOperation, type Search } from './locate-operation.js';
import { readInclusion } from './read-inclusion.js';

/**
 * Tell whether a settled intent ended on a fork that is gone. A managed fork may be recreated at any time, and what
 * wallets did on it is then undone: only the chain as it is now can say whether an old answer still holds.
 *
 * @throws {UpstreamUnavailableError} when the node does not answer
 */
export async function isLostWithFork(
  { chain, operation }: VerifiedIntent,
  { state, userOpHash, txHash }: IntentRecord,
  search: Search,
): Promise<boolean> {
  if (chain.relayMode !== 'managed-fork' || (state !== 'confirmed' && state !== 'failed')) return false;
  if (txHash) return (await readInclusion(chain, userOpHash, txHash)) === undefined;
  // It failed because another operation used its nonce, so the nonce is what to ask for.
  const { kind } = await locateOperation(chain, operation, userOpHash, search);
  return kind === 'open' || kind === 'included';
}
