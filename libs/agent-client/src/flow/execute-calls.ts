import { findError, vaultIdOf } from '@yield-vault/protocol';
import type { Account, Chain, Client, Hex, Transport } from 'viem';
import {
  getCapabilities,
  sendCalls,
  sendTransaction,
  waitForCallsStatus,
  waitForTransactionReceipt,
} from 'viem/actions';
import { CallsFailedError, CallsPendingError, FlowError } from '../errors.js';
import type { AgentClient } from '../http/create-agent-client.js';
import { agentAddressBook } from '../verify/address-book.js';
import { accepted } from '../verify/result.js';
import { verifyCalls, type VerifiedCalls } from '../verify/verify-calls.js';
import { expectedOperation, findToken, requireReachableMinimums } from './expected-operation.js';
import type { Limits, OperationRequest } from './types.js';
import { defaultMaxSlippageBps } from './verify-with-node.js';
import { walletNodeOf, type OwnNode } from './wallet-node.js';

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
 * Execute a deposit or redeem by plain calls, which the wallet sends and pays for: as one batch where it supports
 * EIP-5792, otherwise one after the other. The minimum comes from the agent's own node.
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
  const token = findToken(addressBook, chain, asset);
  const { chainId } = token;
  const node = walletNodeOf(agent);
  await node.requireChain(chain, chainId);
  if (wallet.chain.id !== chainId)
    throw new FlowError(
      'CHAIN_MISMATCH',
      `The wallet is on chain ${wallet.chain.id}, and ${chain} is ${chainId}.`,
    );
  const from = wallet.account.address;
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
  const txHashes: Hex[] = [];
  let batchId: string | undefined;
  try {
    if (await takesBatches(wallet)) {
      batchId = (await sendCalls(wallet, { calls: verified.calls })).id;
      const { status, statusCode, receipts = [] } = await waitForCallsStatus(wallet, { id: batchId });
      txHashes.push(...receipts.map(({ transactionHash }) => transactionHash));
      if (status === 'success') return txHashes;
      // The wallet does not say which of the calls had an effect.
      if (statusCode >= 600) throw new Error(`The batch ended with status ${statusCode}`);
      throw new CallsFailedError('REVERTED', txHashes);
    }
    for (const call of verified.calls) {
      const hash = await sendTransaction(wallet, call);
      txHashes.push(hash);
      let isReplaced = false;
      const { status, transactionHash } = await waitForTransactionReceipt(wallet, {
        hash,
        onReplaced: ({ reason }) => (isReplaced = reason !== 'repriced'),
      });
      txHashes.splice(-1, 1, transactionHash);
      if (isReplaced) throw new CallsFailedError('REPLACED', txHashes);
      if (status === 'reverted') throw new CallsFailedError('REVERTED', txHashes);
    }
    return txHashes;
  } catch (error) {
    if (error instanceof CallsFailedError) throw error;
    if (unsent.some((name) => findError(error, name)))
      throw new CallsFailedError('NOT_SENT', txHashes, error);
    throw new CallsPendingError(verified, txHashes, batchId, error);
  }
}

// With any other error, the request may have reached the wallet or the node.
const unsent = [
  'UserRejectedRequestError',
  'ExecutionRevertedError',
  'EstimateGasExecutionError',
  'InsufficientFundsError',
  'ChainMismatchError',
] as const;

async function takesBatches(wallet: CallsAgent['wallet']): Promise<boolean> {
  if (wallet.account.type !== 'json-rpc') return false;
  const found = await getCapabilities(wallet, { chainId: wallet.chain.id }).catch(() => undefined);
  return ['supported', 'ready'].includes(found?.atomic?.status ?? '');
}
