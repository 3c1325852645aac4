import { BundlerRejection } from '@yield-vault/chains';
import { UpstreamUnavailableError } from '@yield-vault/protocol';
import type { BundlerPort } from '../ports.js';
import type { VerifiedIntent } from '../types.js';
import { explainRejection } from './explain-rejection.js';
import { locateOperation, type Search } from './locate-operation.js';

/**
 * Send an operation to the bundler. When it returns, the operation is on its way, or its nonce is used or about to be.
 *
 * @throws {TransactionSubmissionError} when the bundler refused it and the chain has no trace of it
 * @throws {UpstreamUnavailableError} when the outcome is unknown
 */
export async function submitOperation(
  intent: VerifiedIntent,
  bundler: BundlerPort,
  search: Search,
): Promise<void> {
  try {
    await bundler.send(intent.operation);
  } catch (error) {
    const refused = error instanceof BundlerRejection;
    if (!refused && !(error instanceof UpstreamUnavailableError)) throw error;
    const location = await locateOperation(intent.chain, intent.operation, intent.userOpHash, search);
    if (location.kind !== 'open') return;
    // The bundler knows of a use of the nonce that our node does not show yet: it may be this very operation.
    if (refused && error.aaCode === 'AA25' && location.isNext) return;
    if (refused) throw explainRejection(error);
    const isKnown = await isKnownToBundler(intent, bundler).catch(() => false);
    if (!isKnown) throw error;
  }
}

/**
 * Tell whether the bundler holds an operation. One that cannot say counts as not holding it.
 *
 * @throws {UpstreamUnavailableError} when it does not answer
 */
export async function isKnownToBundler(
  { userOpHash }: VerifiedIntent,
  bundler: BundlerPort,
): Promise<boolean> {
  try {
    return (await bundler.get(userOpHash)) !== null;
  } catch (error) {
    if (error instanceof BundlerRejection) return false;
    throw error;
  }
}
