import { classifyTransactionSend } from '@yield-vault/chains';
import {
  isNamed,
  isViemError,
  type SetupTicket,
  type SetupTransactionRejectedError,
} from '@yield-vault/protocol';
import type { BaseError } from 'viem';
import { getNodeError } from 'viem/utils';
import { readFromWalletNode, transactionRejected } from './errors.js';
import type { SetupChain, SetupStore } from './ports.js';
import { isKnownToNode } from './receipt.js';
import { requireSendable } from './sendable.js';
import type { SetupTransaction } from './transaction.js';

/**
 * Send the transaction to the chain unless the chain knows it. The state `submitted` is stored before the node gets it.
 *
 * @returns nothing once a node may have it: then only the chain decides
 * @param allowance - that the setup grants, in base units of USDC
 * @throws {AlreadySetUpError} when the wallet is set up
 * @throws {SetupTicketRejectedError} when the wallet needs another setup
 * @throws {SetupTransactionRejectedError} when no node took it
 * @throws {UpstreamUnavailableError} when the node does not respond before the send
 */
export async function broadcastTransaction(
  chain: SetupChain,
  transaction: SetupTransaction,
  ticket: SetupTicket,
  allowance: bigint,
  store: Pick<SetupStore, 'markSubmitted'>,
): Promise<void> {
  const isKnown = () => isKnownToNode(chain, transaction.hash);
  if (await isKnown()) return store.markSubmitted(transaction.hash);
  try {
    await requireSendable(chain, transaction, ticket, allowance);
    await store.markSubmitted(transaction.hash);
    const refusal = await send(chain, transaction);
    if (refusal) throw refusal;
  } catch (error) {
    // This very transaction can cause a refusal, such as a used nonce.
    if (!(await isKnown())) throw error;
    await store.markSubmitted(transaction.hash);
  }
}

/**
 * Send a transaction again that a node may have. The same bytes cannot be mined twice.
 *
 * @returns why the node does not take it now
 * @throws {SetupTransactionRejectedError} when another transaction used its nonce long ago
 * @throws {UpstreamUnavailableError} when the node does not respond
 */
export async function rebroadcastTransaction(
  chain: SetupChain,
  transaction: SetupTransaction,
  { walletAddress: address }: SetupTicket,
): Promise<string | undefined> {
  if (await isKnownToNode(chain, transaction.hash)) return undefined;
  const head = await readFromWalletNode(chain, chain.rpc.getBlockNumber({ cacheTime: 0 }));
  const blockNumber = head > lagBlocks ? head - lagBlocks : 0n;
  const mined = await readFromWalletNode(chain, chain.rpc.getTransactionCount({ address, blockNumber }));
  if (mined > transaction.nonce) {
    throw transactionRejected('tx-broadcast', `Another transaction used nonce ${transaction.nonce}.`, {
      details: { reason: 'NONCE_TOO_LOW' },
    });
  }
  return (await send(chain, transaction))?.details['reason'] as string | undefined;
}

// One address may serve many nodes. Longer than they lag behind each other, and within the 128 blocks whose state every
// node keeps.
const lagBlocks = 64n;

/** @returns the refusal of the node; `undefined` when it took the transaction, or may have taken it */
async function send(chain: SetupChain, { raw }: SetupTransaction) {
  try {
    await chain.rpc.sendRawTransaction({ serializedTransaction: raw });
    return undefined;
  } catch (error) {
    if (!isViemError(error)) throw error;
    return asRefusal(error);
  }
}

const reasons = [
  ['InsufficientFundsError', 'INSUFFICIENT_FUNDS'],
  ['FeeCapTooLowError', 'FEE_TOO_LOW'],
  ['IntrinsicGasTooLowError', 'GAS_LIMIT_TOO_LOW'],
  ['IntrinsicGasTooHighError', 'GAS_LIMIT_TOO_HIGH'],
] as const;

/**
 * Recognise that the node itself refused the transaction. After every other failure it may have the transaction.
 *
 * @returns SetupTransactionRejectedError with `details.reason`
 */
export function asRefusal(error: BaseError): SetupTransactionRejectedError | undefined {
  if (classifyTransactionSend(error) !== 'refused') return undefined;
  const known = getNodeError(error, {});
  const reason = reasons.find(([name]) => isNamed(known, name))?.[1] ?? 'REFUSED_BY_NODE';
  return transactionRejected('tx-broadcast', 'The node of the chain did not take the transaction.', {
    details: { reason, nodeMessage: error.details },
    cause: error,
  });
}
