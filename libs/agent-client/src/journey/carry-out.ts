import { vaultIdOf } from '@yield-vault/protocol';
import { JourneyError } from '../errors.js';
import { signIntent } from '../sign/sign-intent.js';
import { addressOf } from '../sign/signer.js';
import type { PrepareRequest, PrepareResponse } from '../types.js';
import { agentAddressBook } from '../verify/address-book/agent-address-book.js';
import { findToken } from './find-token.js';
import { lookRepeatedly } from './look-repeatedly.js';
import { createNode } from './node.js';
import { setUpWallet } from './set-up-wallet.js';
import { submitIntent } from './submit-intent.js';
import type { Agent, Order, Outcome } from './types.js';
import { verifyExecution } from './verify-execution.js';

/**
 * Carry out an order: prepare it, set the wallet up where that is needed, verify what comes back, sign it, execute it.
 *
 * @returns What was signed, and what the service says of it.
 * @throws {VerificationError} When the service gave something else to sign; nothing of it is signed.
 * @throws {UnknownModulesError} When modules of others would come with the setup; nothing is signed.
 * @throws {IntentPendingError | SetupPendingError} When the outcome of what is signed and sent is not known; they say how
 * to go on.
 * @throws {IntentFailedError} When the service does not say what became of the signed intent, and the chain says that it
 * did nothing and never will; its `nextAction` says whether the order may be carried out again.
 * @throws {JourneyError} When it cannot begin or go on, e.g. since the node is of another chain; no intent is signed.
 * @throws {InvalidParametersError} When the amount is no amount of the token; nothing is signed.
 * @throws {ApiError} When the service refuses.
 * @throws {ServiceUnreachableError} When it does not answer.
 * @throws {MalformedAnswerError} When what answers is not the interface.
 * @throws {NodeFailedError} When the agent's own node gives no usable answer.
 * @example
 * await carryOut(agent, { operation: 'redeem', vault, asset: 'USDC', percentage: 100 });
 */
export async function carryOut(agent: Agent, order: Order): Promise<Outcome> {
  const { client, signer, chain, addressBook = agentAddressBook, onProgress } = agent;
  const token = findToken(addressBook, chain, order.asset);
  const wallet = await addressOf(signer);
  const node = createNode(agent.rpcUrl);
  // Before prepare is paid for: what a node of another chain says would be held against nothing.
  await node.requireChain(chain, token.chainId);
  const request = {
    ...fieldsOf(order),
    chain,
    agentAddress: wallet,
    vaultId: vaultIdOf(token.chainId, order.vault),
  };

  const first = await client.prepare(request);
  const setup = first.needsSetup ? await setUpWallet(agent, wallet, node, first) : undefined;
  const prepared = first.needsSetup ? await prepareAgain(agent, request) : first;

  const verified = await verifyExecution(agent, order, { wallet, token, node }, prepared);
  for (const line of verified.summary) onProgress?.(line);
  const intentSignature = await signIntent(signer, verified);
  const sent = { intentEnvelope: verified.envelope, intentSignature };
  const execution = await submitIntent(client, node, verified, sent);
  onProgress?.(`Executed in transaction ${execution.txHash}`);
  return { ...(setup && { setup }), verified, request: sent, execution };
}

function fieldsOf(order: Order): Pick<PrepareRequest, 'operation' | 'asset' | 'amount' | 'percentage'> {
  const { operation, asset } = order;
  if (operation === 'deposit') return { operation, asset, amount: order.amount };
  return operation === 'redeem' ? { operation, asset, percentage: order.percentage } : { operation, asset };
}

// The node that the service reads may be a block behind the one that confirmed the setup.
async function prepareAgain(
  { client }: Agent,
  request: PrepareRequest,
): Promise<Extract<PrepareResponse, { needsSetup: false }>> {
  const prepared = await lookRepeatedly(async () => {
    const answer = await client.prepare(request);
    return answer.needsSetup ? undefined : answer;
  });
  if (prepared) return prepared;
  throw new JourneyError('SETUP_NOT_FINAL', 'The wallet still needs setup, although its setup was relayed.');
}
