import { BaseError } from 'viem';
import { NodeFailedError } from '../errors.js';

/** Run what asks a node, and name its failure without the URL, which may carry a credential. */
export async function askingNode<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof BaseError) throw new NodeFailedError(error.shortMessage, error);
    throw error;
  }
}
