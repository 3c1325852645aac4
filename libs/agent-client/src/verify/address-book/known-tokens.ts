import { canonical } from '@yield-vault/contracts';
import type { BookToken } from '../types.js';

/** Tokens that every book can write amounts of. */
export const knownTokens: readonly BookToken[] = ([1, 8453] as const).flatMap((chainId) => [
  { chainId, address: canonical.usdc[chainId], symbol: 'USDC', decimals: 6 },
  { chainId, address: canonical.weth[chainId], symbol: 'WETH', decimals: 18 },
]);
