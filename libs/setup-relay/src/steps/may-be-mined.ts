import {
  SetupTransactionRejectedError,
  type SetupTicketRejectedError,
  type SetupTicket,
} from '@yield-vault/protocol';
import type { SetupChain } from '../ports.js';
import type { SetupTransaction } from '../types.js';
import { asReadFailure } from './as-read-failure.js';

// Longer than any node lags behind another, and within the 128 blocks whose state every node keeps.
const settledBlocks = 64n;

/**
 * Tell whether a transaction that was submitted earlier, and that the node does not know, may be refused because it was
 * mined. Behind one address there may be many nodes, and the one that was asked for it may lag. Once its nonce has
 * been used for long, it was used by another transaction.
 *
 * @throws {UpstreamUnavailableError} when the node does not answer
 */
export async function mayBeMined(
  chain: SetupChain,
  { nonce }: SetupTransaction,
  { walletAddress: address }: SetupTicket,
  refusal: SetupTicketRejectedError | SetupTransactionRejectedError,
): Promise<boolean> {
  if (!saysNonceIsUsed(refusal)) return false;
  try {
    const head = await chain.rpc.getBlockNumber({ cacheTime: 0 });
    const blockNumber = head > settledBlocks ? head - settledBlocks : 0n;
    return (await chain.rpc.getTransactionCount({ address, blockNumber })) <= nonce;
  } catch (error) {
    throw asReadFailure(error, chain);
  }
}

// A wallet that needs another setup than when this one was submitted has been delegated since, which uses a nonce.
const saysNonceIsUsed = ({ details }: SetupTicketRejectedError | SetupTransactionRejectedError): boolean =>
  details.reason === 'NONCE_TOO_LOW' || details.failedCheck === 'tx-type-valid';
