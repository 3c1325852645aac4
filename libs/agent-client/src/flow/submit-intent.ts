import { sameHex, type ExecuteRequest, type ExecuteResponse } from '@yield-vault/protocol';
import { IntentFailedError, IntentPendingError, MalformedResponseError } from '../errors.js';
import type { AgentClient } from '../http/create-agent-client.js';
import { isRefusal } from '../http/read-response.js';
import { agentAddressBook } from '../verify/address-book.js';
import { accepted } from '../verify/result.js';
import { describeEnvelope, type VerifiedEnvelope } from '../verify/verify-envelope.js';
import { poll, walletNodeOf, type Outcome, type OwnNode, type WalletNode } from './wallet-node.js';
import type { Agent, Execution } from './types.js';

/**
 * Send a signed intent. An ambiguous response means that it is pending: its outcome is read from the agent's own node, and
 * its execution also from the service.
 *
 * @throws {ApiError} when the service refuses for good, and the agent's own node shows that the nonce is unused
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
    return requireExecution(await client.execute(request), verified);
  } catch (error) {
    // The service may refuse and still execute, so only the agent's own node proves that nothing happened.
    if (isRefusal(error) && (await readOutcome(node, verified))?.kind === 'open') throw error;
    return resolvePending({ client, node }, verified, request, error);
  }
}

/**
 * Send a signed intent again, and find its outcome. The service executes it at most once. If execute cannot tell, the
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
  agent: OwnNode & Pick<Agent, 'client' | 'addressBook'>,
  request: ExecuteRequest,
): Promise<Execution> {
  const { client, addressBook = agentAddressBook } = agent;
  const verified = accepted(describeEnvelope(request.intentEnvelope, { addressBook }));
  const { chain, chainId } = verified.deployment;
  const node = walletNodeOf(agent);
  await node.requireChain(chain, chainId);
  try {
    return requireExecution(await client.execute(request), verified);
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
  const outcome = await poll(async () => {
    const seen = await readOutcome(node, verified);
    return seen?.kind === 'included' || seen?.kind === 'never' ? seen : readExecution(client, verified);
  });
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

/** Read the outcome of an intent once; `undefined` when the node fails. */
async function readOutcome(
  node: Pick<WalletNode, 'outcomeOf'>,
  verified: VerifiedEnvelope,
): Promise<Outcome | undefined> {
  return node.outcomeOf(verified).catch(() => undefined);
}

/** Read the execution of an intent from the service; `undefined` while there is none. */
async function readExecution(
  client: AgentClient,
  verified: VerifiedEnvelope,
): Promise<ExecuteResponse | undefined> {
  try {
    const { result } = await client.intent(verified.envelope.merkleRoot);
    return result ? requireExecution(result, verified) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Check that the service reports a successful execution of this very intent.
 *
 * @throws {MalformedResponseError} when it reports anything else
 */
function requireExecution(
  response: ExecuteResponse,
  { userOpHash, deployment }: VerifiedEnvelope,
): ExecuteResponse {
  const { result, chainId, chain, receipt } = response;
  const isOwn =
    sameHex(response.userOpHash, userOpHash) && chainId === deployment.chainId && chain === deployment.chain;
  const isExecuted = ['executed', 'already_executed'].includes(result) && receipt.status === 'success';
  if (isOwn && isExecuted) return response;
  throw new MalformedResponseError(
    'POST /v1/yield/execute',
    'it reports no successful execution of the signed intent',
  );
}
