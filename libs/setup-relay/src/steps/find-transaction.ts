import { TransactionNotFoundError, type Hex } from 'viem';
import type { SetupChain } from '../ports.js';
import { asReadFailure } from './as-read-failure.js';

/** Tell whether the node knows a transaction, mined or waiting. */
export async function findTransaction(chain: SetupChain, hash: Hex): Promise<boolean> {
  try {
    await chain.rpc.getTransaction({ hash });
    return true;
  } catch (error) {
    if (error instanceof TransactionNotFoundError) return false;
    throw asReadFailure(error, chain);
  }
}
