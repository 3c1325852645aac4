import { isMissingState } from '@yield-vault/chains';
import { formatAmount, type RankedVault } from '@yield-vault/protocol';
import { encodeFunctionData, erc4626Abi, type Address, type PublicClient } from 'viem';
import { readVault } from './read-vaults.js';
import type { PricedMovement, ShareMovement } from './types.js';

/** Sum the shares received by transfer that have no price yet, by block. */
export function sumReceived(movements: readonly ShareMovement[]): Map<bigint, bigint> {
  const received = new Map<bigint, bigint>();
  for (const { kind, shares, assets, blockNumber } of movements) {
    if (kind === 'transfer-in' && assets === undefined)
      received.set(blockNumber, (received.get(blockNumber) ?? 0n) + shares);
  }
  return received;
}

// Two HTTP requests of 50 calls.
const mostReads = 100;

/**
 * Choose the blocks at which shares received by transfer are priced, over the vaults of one chain. Anybody can send shares
 * to a wallet, and each such block costs a read of old state. So the reads are bounded, and go to the blocks with the
 * highest worth by the newest sample.
 *
 * @param limit - reads, over all vaults
 * @returns the blocks of each holding, in the order of the holdings
 */
export function chooseHistoricBlocks(
  holdings: readonly { readonly vault: RankedVault; readonly movements: readonly ShareMovement[] }[],
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
function usdOf({ shareDecimals, sharePrice, assetPriceUsd }: RankedVault, shares: bigint): number {
  return Number(formatAmount(shares, shareDecimals)) * sharePrice * assetPriceUsd || 0;
}

/** The blocks at which shares received by transfer are priced. */
export interface PricingBlocks {
  /** Blocks of a transfer at which the vault is read. */
  readonly historic: ReadonlySet<bigint>;
  /** Stands in for all other blocks. */
  readonly pinned: bigint;
}

/** The worth of some shares. */
interface Price {
  readonly shares: bigint;
  readonly assets: bigint;
}

/**
 * Price every movement. Shares received by transfer cost their worth in that block. Where the node lacks that state, the
 * vault fails there, or the block is not chosen, they cost their worth at the pinned block. Where the vault fails there
 * too, they cost nothing: one broken vault must not hide other positions. One read prices all shares of a block.
 *
 * @throws the error of a node that fails or refuses: a cost of zero would be wrong
 */
export async function priceMovements(
  rpc: PublicClient,
  vault: Address,
  movements: readonly ShareMovement[],
  blocks: PricingBlocks,
): Promise<PricedMovement[]> {
  const worth = (shares: bigint, blockNumber: bigint) => {
    const data = encodeFunctionData({ abi: erc4626Abi, functionName: 'convertToAssets', args: [shares] });
    return readVault(rpc, vault, data, blockNumber);
  };
  const worthThen = (shares: bigint, blockNumber: bigint) =>
    worth(shares, blockNumber).catch((error: unknown) => {
      if (isMissingState(error)) return undefined;
      throw error;
    });
  const received = sumReceived(movements);
  const prices = new Map<bigint, Price>();
  await Promise.all(
    [...received].map(async ([blockNumber, shares]) => {
      const assets = blocks.historic.has(blockNumber) ? await worthThen(shares, blockNumber) : undefined;
      if (assets !== undefined) prices.set(blockNumber, { shares, assets });
    }),
  );
  const rest = [...received].reduce((sum, [block, shares]) => (prices.has(block) ? sum : sum + shares), 0n);
  const estimate = { shares: rest, assets: rest > 0n ? ((await worth(rest, blocks.pinned)) ?? 0n) : 0n };
  return movements.map((movement): PricedMovement => {
    const { kind, assets, shares, blockNumber } = movement;
    if (assets !== undefined) return { ...movement, assets };
    // A transfer out takes its cost along; its worth does not matter.
    if (kind !== 'transfer-in') return { ...movement, assets: 0n };
    const price = prices.get(blockNumber) ?? estimate;
    return { ...movement, assets: (price.assets * shares) / price.shares };
  });
}
