import type { BundlerPort } from '../ports.js';
import type { Inclusion, VerifiedIntent } from '../types.js';
import { isReadRefusal } from './from-node.js';
import { locateOperation, type Location, type Search } from './locate-operation.js';
import { readInclusion } from './read-inclusion.js';

/**
 * Look whether an operation is in a block: the bundler knows first, the chain knows for sure. What the node refuses to
 * say is unclear, and to be looked at again: it may only lag behind.
 *
 * @throws {UpstreamUnavailableError} when the node does not answer
 */
export async function findInclusion(
  intent: VerifiedIntent,
  bundler: Pick<BundlerPort, 'receipt'>,
  search: Search,
): Promise<Location> {
  try {
    const hinted = await inclusionFromBundler(intent, bundler);
    if (hinted) return { kind: 'included', inclusion: hinted };
    return await locateOperation(intent.chain, intent.operation, intent.userOpHash, search);
  } catch (error) {
    if (isReadRefusal(error)) return { kind: 'unclear', refusal: error };
    throw error;
  }
}

async function inclusionFromBundler(
  { chain, userOpHash }: VerifiedIntent,
  bundler: Pick<BundlerPort, 'receipt'>,
): Promise<Inclusion | undefined> {
  // Only a hint: without it, or when it is wrong, the chain is asked.
  const receipt = await bundler.receipt(userOpHash).catch(() => null);
  return receipt ? readInclusion(chain, userOpHash, receipt.receipt.transactionHash) : undefined;
}
