import type { ExecuteRequest } from '../types.js';
import { agentAddressBook } from '../verify/address-book/agent-address-book.js';
import { describeEnvelope } from '../verify/describe-envelope.js';
import { accepted } from './accepted.js';
import { createNode } from './node.js';
import { settleFromChain } from './settle-from-chain.js';
import type { Agent, Execution } from './types.js';

/**
 * Find out what became of an intent that was signed and sent before: ask the service to execute it, which it does once at
 * most, and the agent's own node where the service gives no account of it. Nothing is signed.
 *
 * @param request That of an `IntentPendingError`.
 * @throws {IntentFailedError} When it reverted, or can never be executed any more; its `nextAction` says whether the order
 * may be carried out again.
 * @throws {IntentPendingError} When it is still not known.
 * @throws {JourneyError} `CHAIN_MISMATCH` when the node is of another chain.
 * @throws {VerificationError} When it is no intent of the address book.
 * @throws {NodeFailedError} When the node does not say which chain it serves.
 */
export async function settleIntent(
  { client, rpcUrl, addressBook = agentAddressBook }: Pick<Agent, 'client' | 'rpcUrl' | 'addressBook'>,
  request: ExecuteRequest,
): Promise<Execution> {
  const verified = accepted(describeEnvelope(request.intentEnvelope, { addressBook }));
  const { chain, chainId } = verified.deployment;
  const node = createNode(rpcUrl);
  await node.requireChain(chain, chainId);
  try {
    return await client.execute(request);
  } catch (error) {
    // No refusal counts: an earlier attempt may have got through.
    return settleFromChain(node, verified, request, error);
  }
}
