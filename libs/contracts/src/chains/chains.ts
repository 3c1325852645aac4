import { UnsupportedChainError } from '../errors.js';
import { arbitrum } from './arbitrum.js';
import { base } from './base.js';
import { baseSepolia } from './base-sepolia.js';
import type { ChainFacts } from './chain-facts.js';
import { ethereum } from './ethereum.js';
import { optimism } from './optimism.js';
import { polygon } from './polygon.js';
import { sepolia } from './sepolia.js';

/**
 * Every chain that this project knows. A deployment file says which are active. Unichain is not among them: its feeds have
 * 18 decimals, and our paymaster reads 8.
 */
export const knownChains: readonly ChainFacts[] = [
  base,
  ethereum,
  arbitrum,
  optimism,
  polygon,
  sepolia,
  baseSepolia,
];

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

/** Name and version in the EIP-712 domain of USDC on a chain. */
export function usdcDomain(chainId: number): { readonly name: string; readonly version: string } {
  return { name: findChainFacts(chainId)?.usdcName ?? 'USD Coin', version: '2' };
}
