import { findError, vaultIdOf } from '@yield-vault/protocol';
import type { RouterCall } from '@yield-vault/smart-account';
import {
  bytesToHex,
  keccak256,
  numberToHex,
  type Account,
  type BaseError,
  type Chain,
  type Client,
  type Hex,
  type Transport,
} from 'viem';
import {
  estimateGas,
  getCapabilities,
  getChainId,
  prepareTransactionRequest,
  sendCalls,
  signTransaction,
  waitForCallsStatus,
  waitForTransactionReceipt,
} from 'viem/actions';
import { assertCurrentChain, getTransactionError } from 'viem/utils';
import { CallsFailedError, CallsPendingError, FlowError } from '../errors.js';
import type { AgentClient } from '../http/create-agent-client.js';
import { agentAddressBook } from '../verify/address-book.js';
import { accepted } from '../verify/result.js';
import { verifyCalls, type VerifiedCalls } from '../verify/verify-calls.js';
import { expectedOperation, requireReachableMinimums } from './expected-operation.js';
import type { Limits, OperationRequest } from './types.js';
import { defaultMaxSlippageBps, ownOf } from './verify-with-node.js';
import { poll, type OwnNode } from './wallet-node.js';

/** A wallet that sends calls itself, its node and its limits. */
export type CallsAgent = OwnNode &
  Pick<Limits, 'chain' | 'addressBook' | 'maxSlippageBps'> & {
    readonly client: AgentClient;
    /** A wallet client of viem, whose account is local or at a JSON-RPC wallet. */
    readonly wallet: Client<Transport, Chain, Account>;
  };

/** A deposit or redeem. */
export type CallsOperation = Extract<OperationRequest, { readonly operation: 'deposit' | 'redeem' }>;

/** Calls that were executed. */
export interface ExecutedCalls {
  readonly verified: VerifiedCalls;
  /** In their order; the last one has the deposit or redeem. */
  readonly txHashes: readonly Hex[];
}

/**
 * Execute a deposit or redeem by plain calls, which the wallet sends and pays for: as one batch where a
 * JSON-RPC wallet sends it atomically (capability `atomic` of EIP-5792), otherwise one after the other. The minimum comes from the agent's own node.
 *
 * @throws {VerificationError} when the service returned other calls; nothing is sent
 * @throws {FlowError} when it cannot begin, e.g. the wallet is on another chain; nothing is sent
 * @throws {CallsFailedError} when the deposit or redeem had no effect
 * @throws {CallsPendingError} when calls may have been sent, and their outcome is unknown
 * @throws {InvalidParametersError | ApiError | ServiceUnreachableError | MalformedResponseError | NodeFailedError} as `execute`
 * @example
 * await executeCalls({ client, wallet, rpc, chain: 'base' }, { operation: 'deposit', vault, asset: 'USDC', amount: '25' });
 */
export async function executeCalls(agent: CallsAgent, request: CallsOperation): Promise<ExecutedCalls> {
  const { client, wallet, chain, addressBook = agentAddressBook } = agent;
  const { maxSlippageBps = defaultMaxSlippageBps } = agent;
  const { vault, asset, ...fields } = request;
  const from = wallet.account.address;
  const { token, node } = await ownOf({ ...agent, wallet: from }, asset);
  const { chainId } = token;
  if (wallet.chain.id !== chainId)
    throw new FlowError(
      'CHAIN_MISMATCH',
      `The wallet is on chain ${wallet.chain.id}, and ${chain} is ${chainId}.`,
    );
  const circumstances = { wallet: from, token, maxSlippageBps, target: undefined };
  const expected = await expectedOperation(request, circumstances, node);
  const operation =
    expected.kind === 'redeem' && expected.shares === 'all'
      ? { ...expected, shares: { atMost: await node.sharesOf(from, vault) } }
      : expected;
  const response = await client.calls({ ...fields, chain, from, vaultId: vaultIdOf(chainId, vault) });
  const verified = accepted(verifyCalls(response, { wallet: from, chain, operation }, { addressBook }));
  await requireReachableMinimums(verified.effects, from, node);
  return { verified, txHashes: await send(wallet, verified) };
}

async function send(wallet: CallsAgent['wallet'], verified: VerifiedCalls): Promise<readonly Hex[]> {
  const batch = (await takesBatches(wallet)) ? await sendBatch(wallet, verified) : undefined;
  if (batch) return batch;
  const txHashes: Hex[] = [];
  const fail = (cause: unknown) => {
    throw new CallsFailedError('NOT_SENT', txHashes, cause);
  };
  for (const [pendingCall, call] of verified.calls.entries()) {
    const stop = (cause: unknown) => {
      throw new CallsPendingError(verified, txHashes, { pendingCall }, cause);
    };
    const { request, signedHash } = await requestOf(wallet, call).catch(fail);
    if (signedHash) txHashes.push(signedHash);
    // Not by `sendTransaction` of viem, which sends again after some errors.
    const sent = await wallet
      .request(request as never, { retryCount: 0 })
      .catch((error: unknown) => (!signedHash && isRefusal(error, wallet) ? fail : stop)(error));
    let isReplaced = false;
    const { transactionHash, status } = await waitForTransactionReceipt(wallet, {
      hash: (txHashes[pendingCall] = signedHash ?? (sent as Hex)),
      onReplaced: ({ reason }) => (isReplaced = reason !== 'repriced'),
    }).catch(stop);
    txHashes[pendingCall] = transactionHash;
    if (isReplaced) stop(new Error('A replacement was included, which may do the same'));
    if (status === 'reverted') throw new CallsFailedError('REVERTED', txHashes);
  }
  return txHashes;
}

/** Prepare the request that sends a call. The hash is known beforehand if the account signs here. */
async function requestOf(wallet: CallsAgent['wallet'], { to, data }: RouterCall) {
  const { account, chain } = wallet;
  assertCurrentChain({ chain, currentChainId: await getChainId(wallet) });
  if (account.type === 'json-rpc') {
    await retry(() => estimateGas(wallet, { to, data }));
    const call = { from: account.address, to, data, value: '0x0', chainId: numberToHex(chain.id) };
    return { request: { method: 'eth_sendTransaction', params: [call] } };
  }
  const transaction = await retry(() => prepareTransactionRequest(wallet, { to, data }));
  const signed: Hex = await signTransaction(wallet, transaction as never);
  return { request: { method: 'eth_sendRawTransaction', params: [signed] }, signedHash: keccak256(signed) };
}

/** Retry an estimate: after the approval, the node may be a block behind. */
async function retry<T extends object | bigint>(estimate: () => Promise<T>): Promise<T> {
  let failure: unknown;
  const value = await poll(() => estimate().catch((error: unknown) => void (failure = error)));
  if (value === undefined) throw failure;
  return value;
}

/** Send the calls as a batch. @returns `undefined` when the wallet takes no such batch, and sent nothing */
async function sendBatch(
  wallet: CallsAgent['wallet'],
  verified: VerifiedCalls,
): Promise<readonly Hex[] | undefined> {
  // Chosen here, so that it is known if the response is lost.
  let batchId: string = bytesToHex(crypto.getRandomValues(new Uint8Array(32)));
  let txHashes: readonly Hex[] = [];
  const stop = (cause: unknown) => {
    throw new CallsPendingError(verified, txHashes, { batchId }, cause);
  };
  try {
    batchId = (await sendCalls(wallet, { calls: verified.calls, id: batchId })).id;
  } catch (error) {
    if (batchRefusals.some((name) => findError(error, name))) return undefined;
    if (isRefusal(error, wallet)) throw new CallsFailedError('NOT_SENT', txHashes, error);
    return stop(error);
  }
  const { status, statusCode, receipts = [] } = await waitForCallsStatus(wallet, { id: batchId }).catch(stop);
  txHashes = receipts.map(({ transactionHash }) => transactionHash);
  if (status === 'success' && receipts.length > 0 && receipts.every((each) => each.status !== 'reverted'))
    return txHashes;
  if (statusCode >= 400 && statusCode < 600) throw new CallsFailedError('REVERTED', txHashes);
  // The wallet does not say which of the calls had an effect.
  return stop(new Error(`The batch ended with status ${statusCode}`));
}

// With any other error, the request may have reached the wallet or the node.
const refusals = ['UserRejectedRequestError', 'ExecutionRevertedError', 'InsufficientFundsError'] as const;

/** Whether an error of the sending request itself proves that nothing was sent. */
function isRefusal(error: unknown, { account, chain }: CallsAgent['wallet']): boolean {
  const named = getTransactionError(error as BaseError, { account, chain });
  return refusals.some((name) => findError(named, name));
}

const batchRefusals = [
  'MethodNotFoundRpcError',
  'UnsupportedProviderMethodError',
  'UnsupportedNonOptionalCapabilityError',
  'UnsupportedChainIdError',
  'BundleTooLargeError',
  'AtomicReadyWalletRejectedUpgradeError',
  'AtomicityNotSupportedError',
] as const;

async function takesBatches(wallet: CallsAgent['wallet']): Promise<boolean> {
  if (wallet.account.type !== 'json-rpc') return false;
  const found = await getCapabilities(wallet, { chainId: wallet.chain.id }).catch(() => undefined);
  return ['supported', 'ready'].includes(found?.atomic?.status ?? '');
}
