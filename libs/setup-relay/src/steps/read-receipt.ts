import { TransactionReceiptNotFoundError, type Hex, type TransactionReceipt } from 'viem';
import type { SetupChain } from '../ports.js';
import { asReadFailure } from './as-read-failure.js';

/** Read the receipt of a transaction; `undefined` when the node knows no block that holds it. */
export async function readReceipt(chain: SetupChain, hash: Hex): Promise<TransactionReceipt | undefined> {
  try {
    return await chain.rpc.getTransactionReceipt({ hash });
  } catch (error) {
    if (error instanceof TransactionReceiptNotFoundError) return undefined;
    throw asReadFailure(error, chain);
  }
}
