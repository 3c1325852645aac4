import { ChainNotActiveError } from '@yield-vault/protocol';
import type { ForkChain } from '../types.js';

/**
 * Find a chain by its key.
 *
 * @throws {ChainNotActiveError} with `details.supportedChains`
 */
export function requireForkChain(key: string, chains: readonly ForkChain[]): ForkChain {
  const chain = chains.find((one) => one.key === key);
  if (chain) return chain;
  throw new ChainNotActiveError({
    detail: `The chain ${JSON.stringify(key)} is not active on this deployment.`,
    details: { supportedChains: chains.map((one) => one.key) },
  });
}
