import { asUpstreamError } from '@yield-vault/chains';
import type { ExecutionChain } from '../ports.js';

/** Wait for the chain's node; its failures become UpstreamUnavailableError, anything else stays what it is. */
export async function fromNode<T>(chain: Pick<ExecutionChain, 'key'>, answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw asUpstreamError(error, `rpc:${chain.key}`) ?? error;
  }
}
