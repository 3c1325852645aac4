import { asUpstreamError, type ActiveChain } from '@yield-vault/chains';
import { paymasterUnavailable } from './paymaster-unavailable.js';

/**
 * Wait for what a paymaster contract says about its price.
 *
 * @throws {UpstreamUnavailableError} when the node does not answer, or the paymaster reverts
 */
export function priceRead<T>(chain: ActiveChain, answer: Promise<T>): Promise<T> {
  return answer.catch((error: unknown) => {
    throw (
      asUpstreamError(error, `rpc:${chain.key}`) ??
      paymasterUnavailable(chain, 'The paymaster quotes no price.', error)
    );
  });
}
