import { IntentFailedError, IntentPendingError } from '../errors.js';
import type { AgentClient } from '../http/create-agent-client.js';
import { isRefusal } from '../http/read-response.js';
import type { ExecuteRequest, ExecuteResponse } from '../types.js';
import { agentAddressBook } from '../verify/address-book.js';
import { accepted } from '../verify/result.js';
import { describeEnvelope, type VerifiedEnvelope } from '../verify/verify-envelope.js';
import { createWalletNode, poll, type WalletNode } from './wallet-node.js';
import type { Agent, Execution } from './types.js';

/**
 * Send a signed intent. An ambiguous response means that it is pending: its outcome is read from the agent's own node, and
 * its execution also from the service.
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
    return resolvePending({ client, node }, verified, request, error);
  }
}

/**
 * Resolve an intent that was signed and sent before. The service executes it at most once. If execute cannot tell, the
 * agent's own node does. Nothing is signed.
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
    return resolvePending({ client, node }, verified, request, error);
  }
}

/** Wait for a signed and sent intent. Only the agent's own node says that it has no effect. */
async function resolvePending(
  { client, node }: { readonly client: AgentClient; readonly node: Pick<WalletNode, 'outcomeOf'> },
  verified: VerifiedEnvelope,
  request: ExecuteRequest,
  cause: unknown,
): Promise<Execution> {
  // Whatever fails, the intent stays signed and sent.
  const outcome = await poll(
    async () =>
      (await node.outcomeOf(verified).catch(() => undefined)) ?? (await readExecution(client, verified)),
  );
  if (!outcome) throw new IntentPendingError(request, verified.envelope.expiry, cause);
  if ('result' in outcome) return outcome;
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

/** Read the execution of an intent from the service; `undefined` while there is none. */
async function readExecution(
  client: AgentClient,
  { envelope }: VerifiedEnvelope,
): Promise<ExecuteResponse | undefined> {
  try {
    return (await client.intent(envelope.merkleRoot)).result ?? undefined;
  } catch {
    return undefined;
  }
}
