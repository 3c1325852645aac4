import {
  vaultIdOf,
  type GaslessSetupRequest,
  type PrepareExecutionResponse,
  type PrepareResponse,
  type PrepareSetupResponse,
} from '@yield-vault/protocol';
import { FlowError } from '../errors.js';
import { signIntent } from '../sign/sign-intent.js';
import { addressOf } from '../sign/signer.js';
import type { PrepareRequest } from '../types.js';
import { agentAddressBook } from '../verify/address-book.js';
import type { EnvelopeExpectations } from '../verify/expectations.js';
import { findToken, narrowToTarget, prepareFields } from './expected-operation.js';
import { chooseSetup, prepareGasless } from './prepare-gasless.js';
import { submitIntent } from './submit-intent.js';
import { setUpWallet } from './set-up-wallet.js';
import type { Agent, ExecuteResult, OperationRequest, SetupOutcome } from './types.js';
import { verifyExecution, type Own } from './verify-with-node.js';
import { poll, walletNodeOf } from './wallet-node.js';

/**
 * Execute an operation: prepare it, set the wallet up if needed, verify, sign, execute. A deposit sets up a wallet that
 * lacks ether, where the service offers that.
 *
 * @returns the verified intent and its execution
 * @throws {VerificationError} when the service handed out something else to sign; nothing of it is signed
 * @throws {UnknownModulesError} when the setup would activate unknown modules; nothing is signed
 * @throws {IntentPendingError | SetupPendingError} when something is signed and sent, and its outcome unknown
 * @throws {IntentFailedError} when the chain shows that the signed intent has no effect; see its `nextAction`
 * @throws {FlowError} when it cannot begin or continue, e.g. the node serves another chain; no intent is signed
 * @throws {InvalidParametersError} when the amount is no amount of the token; nothing is signed
 * @throws {ApiError} when the service refuses. It can still send a signed intent that it refused, until its `expiry`: repeat
 *   the request after that, or sign only an intent with the same nonce
 * @throws {ServiceUnreachableError} when the service sends no response
 * @throws {MalformedResponseError} when a response does not match the interface
 * @throws {NodeFailedError} when the agent's own node fails
 * @example
 * await execute(agent, { operation: 'redeem', vault, asset: 'USDC', percentage: 100 });
 */
export async function execute(agent: Agent, request: OperationRequest): Promise<ExecuteResult> {
  const { client, signer, chain, addressBook = agentAddressBook, onProgress } = agent;
  const token = findToken(addressBook, chain, request.asset);
  const wallet = await addressOf(signer);
  const node = walletNodeOf(agent);
  // Before prepare is paid for.
  await node.requireChain(chain, token.chainId);
  const own = { wallet, token, node };
  const place = { chain, agentAddress: wallet, vaultId: vaultIdOf(token.chainId, request.vault) };

  const first = await client.prepare({ ...prepareFields(request, token.chainId), ...place });
  const ready: Ready = first.needsSetup
    ? await setUp(agent, request, place, own, first)
    : { prepared: first, setup: { kind: 'already-set-up' } };
  const { prepared, gaslessSetup, setup } = ready;
  const verified = await verifyExecution(
    agent,
    narrowToTarget(request, token.chainId, prepared),
    own,
    prepared.execution?.intentEnvelope,
    gaslessSetup,
  );
  onProgress?.({ type: 'intent-verified', verified });
  const intentSignature = await signIntent(signer, verified);
  const sent = { intentEnvelope: verified.envelope, intentSignature };
  const execution = await submitIntent(client, node, verified, sent);
  onProgress?.({ type: 'executed', execution });
  return { setup, verified, request: sent, execution };
}

/** A prepared operation, and the setup before it or within it. */
interface Ready {
  /** Nothing of it is checked yet. */
  readonly prepared: Pick<PrepareExecutionResponse, 'target'> & {
    readonly execution?: { readonly intentEnvelope?: unknown } | null;
  };
  readonly setup: SetupOutcome;
  readonly gaslessSetup?: EnvelopeExpectations['gaslessSetup'];
}

/** Set the wallet up by a transaction, or within its deposit if it lacks ether. */
async function setUp(
  agent: Agent,
  request: OperationRequest,
  place: Pick<GaslessSetupRequest, 'chain' | 'agentAddress' | 'vaultId'>,
  own: Own,
  first: PrepareSetupResponse,
): Promise<Ready> {
  const { wallet, node } = own;
  const deposit = request.operation === 'deposit' && first.gaslessSetup ? request : undefined;
  const chosen = await chooseSetup(wallet, node, first, deposit !== undefined);
  if (deposit && chosen === 'gasless') {
    const { asset, amount } = deposit;
    const gasless = await prepareGasless(agent, own, first, { ...place, asset, amount });
    return { ...gasless, setup: { kind: 'within-deposit' } };
  }
  const relayed = await setUpWallet(agent, wallet, node, first);
  return {
    setup: { kind: 'transaction', relayed },
    prepared: await prepareAgain(agent, { ...prepareFields(request, own.token.chainId), ...place }),
  };
}

// The node of the service may be a block behind the one that confirmed the setup. Each prepare may cost a payment.
async function prepareAgain(
  { client }: Agent,
  request: PrepareRequest,
): Promise<Extract<PrepareResponse, { needsSetup: false }>> {
  const read = async () => {
    const response = await client.prepare(request);
    return response.needsSetup ? undefined : response;
  };
  const prepared = await poll(read, { attempts: 2, pauseMs: 4_000 });
  if (prepared) return prepared;
  throw new FlowError('SETUP_NOT_FINAL', 'The wallet still needs setup, although its setup was relayed.');
}
