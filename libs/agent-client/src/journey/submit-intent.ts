import type { AgentClient } from '../http/create-agent-client.js';
import type { ExecuteRequest } from '../types.js';
import type { VerifiedEnvelope } from '../verify/types.js';
import { isRefusal } from './is-refusal.js';
import type { Node } from './node.js';
import { settleFromChain } from './settle-from-chain.js';
import type { Execution } from './types.js';

/**
 * Have a signed intent executed. Where the service leaves open what became of it, or refuses what an earlier attempt may
 * have got through, the agent's own node is asked.
 *
 * @throws {ApiError} When it is refused for good.
 * @throws {IntentFailedError} When the chain says that it reverted, or can never be executed any more.
 * @throws {IntentPendingError} When it is not known what became of it.
 */
export async function submitIntent(
  client: AgentClient,
  node: Pick<Node, 'fateOf'>,
  verified: VerifiedEnvelope,
  request: ExecuteRequest,
): Promise<Execution> {
  try {
    return await client.execute(request);
  } catch (error) {
    if (isRefusal(error)) throw error;
    return settleFromChain(node, verified, request, error);
  }
}
