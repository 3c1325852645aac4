import { IntentFailedError, IntentPendingError } from '../errors.js';
import type { ExecuteRequest } from '../types.js';
import type { VerifiedEnvelope } from '../verify/types.js';
import { lookRepeatedly } from './look-repeatedly.js';
import type { Node } from './node.js';
import type { FoundExecution } from './types.js';

/**
 * Find out from the agent's own node what became of an intent that the service gives no account of.
 *
 * @param cause What the service said instead.
 * @throws {IntentFailedError} When it reverted, or can never be executed any more.
 * @throws {IntentPendingError} When it may still be executed, or the node does not answer.
 */
export async function settleFromChain(
  node: Pick<Node, 'fateOf'>,
  verified: VerifiedEnvelope,
  request: ExecuteRequest,
  cause: unknown,
): Promise<FoundExecution> {
  // Whatever the node fails with, the intent stays signed and sent.
  const fate = await lookRepeatedly(() => node.fateOf(verified).catch(() => undefined));
  if (!fate) throw new IntentPendingError(request, verified.envelope.expiry, cause);
  if (fate.kind === 'never') throw new IntentFailedError(fate.why, fate.txHash, cause);
  const { success, txHash, blockNumber, gasUsed } = fate;
  if (!success) throw new IntentFailedError('REVERTED', txHash, cause);
  const { userOpHash, deployment } = verified;
  return {
    result: 'found_on_chain',
    userOpHash,
    txHash,
    chainId: deployment.chainId,
    chain: deployment.chain,
    receipt: { status: 'success', gasUsed: gasUsed.toString(), blockNumber: Number(blockNumber) },
  };
}
