import { invalid } from '../errors.js';
import type { ExecutionChain, ExecutionChains } from '../ports.js';

/**
 * Find the chain of an envelope.
 *
 * @throws {TransactionValidationError} with reason CHAIN_NOT_ACTIVE
 */
export function requireChain(chainId: number, chains: ExecutionChains): ExecutionChain {
  const chain = chains.findById(chainId);
  if (!chain) {
    throw invalid('CHAIN_NOT_ACTIVE', `Chain ${chainId} is not active.`, {
      supportedChains: [...chains.keys],
    });
  }
  return chain;
}
