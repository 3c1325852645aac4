import { asReadFailure, asReadRefusal } from '@yield-vault/chains';
import { UpstreamUnavailableError } from '@yield-vault/protocol';
import type { ExecutionChain } from '../ports.js';

/**
 * Wait for the chain's node. Its failures become UpstreamUnavailableError, and so do its refusals, since nothing that is
 * read here can revert; anything else stays what it is.
 */
export async function fromNode<T>(chain: Pick<ExecutionChain, 'key'>, answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw asReadFailure(error, `rpc:${chain.key}`) ?? error;
  }
}

/**
 * Tell whether the node answered, and lacks what it was asked for: it may lag behind others at the same address, or
 * never say it.
 */
export function isReadRefusal(error: unknown): error is UpstreamUnavailableError {
  return error instanceof UpstreamUnavailableError && asReadRefusal(error.cause, 'rpc') !== undefined;
}
