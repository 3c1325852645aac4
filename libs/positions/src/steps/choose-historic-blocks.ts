import { formatAmount, type ListedVault } from '@yield-vault/protocol';
import type { ShareMovement } from '../types.js';
import { sumReceived } from './sum-received.js';

// Two HTTP requests of 50 calls.
const mostReads = 100;

/**
 * Choose the blocks for which the vaults of one chain are asked what shares were worth that came by transfer. Anybody can
 * send shares to a wallet, as little and as often as they like, and each such block costs a read of old state. So
 * the reads are bounded, and go where the most came: by the newest sample, since the chain would have to be asked.
 *
 * @param limit - reads, over all vaults
 * @returns the blocks of each holding, in the order of the holdings
 */
export function chooseHistoricBlocks(
  holdings: readonly { readonly vault: ListedVault; readonly movements: readonly ShareMovement[] }[],
  limit = mostReads,
): ReadonlySet<bigint>[] {
  const blocks = holdings.map(() => new Set<bigint>());
  holdings
    .flatMap(({ vault, movements }, index) =>
      [...sumReceived(movements)].map(([blockNumber, shares]) => ({
        blocks: blocks[index]!,
        blockNumber,
        usd: usdOf(vault, shares),
      })),
    )
    .sort((a, b) => b.usd - a.usd)
    .slice(0, limit)
    .forEach((read) => read.blocks.add(read.blockNumber));
  return blocks;
}

/** 0 where a price is unknown. */
function usdOf({ shareDecimals, sharePrice, assetPriceUsd }: ListedVault, shares: bigint): number {
  return Number(formatAmount(shares, shareDecimals)) * sharePrice * assetPriceUsd || 0;
}
