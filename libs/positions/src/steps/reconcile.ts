import type { AverageCost } from '../types.js';

/**
 * Bring a replayed basis in line with the share balance, which is the truth: where they differ the basis is
 * scaled to the balance, or, for shares that no event explains, taken to be their value now.
 *
 * @param balance - shares held
 * @param assetsNow - what those shares are worth now, before exit fees
 */
export function reconcile(
  replayed: AverageCost,
  balance: bigint,
  assetsNow: bigint,
): { readonly costBasis: bigint; readonly basisEstimated: boolean } {
  if (balance === replayed.shares) return { costBasis: replayed.costBasis, basisEstimated: false };
  const costBasis = replayed.shares === 0n ? assetsNow : (replayed.costBasis * balance) / replayed.shares;
  return { costBasis, basisEstimated: true };
}
