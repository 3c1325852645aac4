import { UnsupportedChainError } from '../errors.js';
import { base } from './base.js';
import type { ChainFacts } from './chain-facts.js';
import { ethereum } from './ethereum.js';

/** Every chain that this project knows. A deployment file says which are active. */
export const knownChains: readonly ChainFacts[] = [base, ethereum];

/** @returns `undefined` for a chain that this project does not know */
export function findChainFacts(chainId: number): ChainFacts | undefined {
  return knownChains.find((chain) => chain.chainId === chainId);
}

/** @throws {UnsupportedChainError} for a chain that this project does not know */
export function chainFacts(chainId: number): ChainFacts {
  const facts = findChainFacts(chainId);
  if (!facts) throw new UnsupportedChainError(chainId);
  return facts;
}
