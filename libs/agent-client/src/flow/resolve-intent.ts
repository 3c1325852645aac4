import { IntentFailedError, IntentPendingError } from '../errors.js';
import type { AgentClient } from '../http/create-agent-client.js';
import { isRefusal } from '../http/read-response.js';
import type { ExecuteRequest } from '../types.js';
import { agentAddressBook } from '../verify/address-book.js';
import { accepted } from '../verify/result.js';
import { describeEnvelope, type VerifiedEnvelope } from '../verify/verify-envelope.js';
import { createWalletNode, poll, type WalletNode } from './wallet-node.js';
import type { Agent, Execution, FoundExecution } from './types.js';

/**
 * Send a signed intent. When the outcome is open, read it from the agent's own node.
 *
 * @throws {ApiError} when the service refuses for good
 * @throws {IntentFailedError} when the chain shows that it reverted or can never be executed
 * @throws {IntentPendingError} when the outcome is unknown
 */
export async function submitIntent(
  client: AgentClient,
  node: Pick<WalletNode, 'outcomeOf'>,
  verified: VerifiedEnvelope,
  request: ExecuteRequest,
): Promise<Execution> {
  try {
    return await client.execute(request);
  } catch (error) {
    if (isRefusal(error)) throw error;
    return resolveFromChain(node, verified, request, error);
  }
}

/**
 * Resolve an intent that was signed and sent before. The service executes it at most once. If the service cannot tell,
 * the agent's own node does. Nothing is signed.
 *
 * @param request - from an `IntentPendingError`
 * @throws {IntentFailedError} when it reverted or can never be executed; `nextAction` says how to continue
 * @throws {IntentPendingError} when the outcome is still unknown
 * @throws {FlowError} `CHAIN_MISMATCH` when the node serves another chain
 * @throws {VerificationError} when it is no intent of the address book
 * @throws {NodeFailedError} when the node does not report its chain
 */
export async function resolveIntent(
  { client, rpcUrl, addressBook = agentAddressBook }: Pick<Agent, 'client' | 'rpcUrl' | 'addressBook'>,
  request: ExecuteRequest,
): Promise<Execution> {
  const verified = accepted(describeEnvelope(request.intentEnvelope, { addressBook }));
  const { chain, chainId } = verified.deployment;
  const node = createWalletNode(rpcUrl);
  await node.requireChain(chain, chainId);
  try {
    return await client.execute(request);
  } catch (error) {
    // Even a refusal proves nothing here: an earlier attempt may have succeeded.
    return resolveFromChain(node, verified, request, error);
  }
}

async function resolveFromChain(
  node: Pick<WalletNode, 'outcomeOf'>,
  verified: VerifiedEnvelope,
  request: ExecuteRequest,
  cause: unknown,
): Promise<FoundExecution> {
  // Whatever the node's failure, the intent stays signed and sent.
  const outcome = await poll(() => node.outcomeOf(verified).catch(() => undefined));
  if (!outcome) throw new IntentPendingError(request, verified.envelope.expiry, cause);
  if (outcome.kind === 'never') throw new IntentFailedError(outcome.why, outcome.txHash, cause);
  const { success, txHash, blockNumber, gasUsed } = outcome;
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
