import { isMissingState } from '@yield-vault/chains';
import { formatAmount, type RankedVault } from '@yield-vault/protocol';
import { encodeFunctionData, erc4626Abi, type Address, type PublicClient } from 'viem';
import { readVault } from './read-vaults.js';
import type { PricedMovement, ShareMovement } from './types.js';

/** Whether shares were received by transfer and have no price yet. A vault has at most one such movement in a block. */
const isUnpriced = ({ kind, assets }: ShareMovement) => kind === 'transfer-in' && assets === undefined;

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
      movements.filter(isUnpriced).map(({ blockNumber, shares }) => ({
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
export interface Price {
  readonly shares: bigint;
  readonly assets: bigint;
}

/** Movements with their prices. */
export interface Pricing {
  readonly movements: readonly PricedMovement[];
  /** The worth of all shares received in a block, where it was read at that block. */
  readonly prices: ReadonlyMap<bigint, Price>;
}

/**
 * Price every movement. Shares received by transfer cost their worth in that block. Where the node lacks that state, the
 * vault fails there, or the block is not chosen, they cost their worth at the pinned block. Where the vault fails there
 * too, they cost nothing: one broken vault must not hide other positions.
 *
 * @throws the error of a node that fails or refuses: a cost of zero would be wrong
 */
export async function priceMovements(
  rpc: PublicClient,
  vault: Address,
  movements: readonly ShareMovement[],
  blocks: PricingBlocks,
): Promise<Pricing> {
  const worth = (shares: bigint, blockNumber: bigint) => {
    const data = encodeFunctionData({ abi: erc4626Abi, functionName: 'convertToAssets', args: [shares] });
    return readVault(rpc, vault, data, blockNumber);
  };
  const worthThen = (shares: bigint, blockNumber: bigint) =>
    worth(shares, blockNumber).catch((error: unknown) => {
      if (isMissingState(error)) return undefined;
      throw error;
    });
  const received = movements.filter(isUnpriced);
  const prices = new Map<bigint, Price>();
  await Promise.all(
    received.map(async ({ blockNumber, shares }) => {
      const assets = blocks.historic.has(blockNumber) ? await worthThen(shares, blockNumber) : undefined;
      if (assets !== undefined) prices.set(blockNumber, { shares, assets });
    }),
  );
  const rest = received.reduce(
    (sum, { blockNumber, shares }) => (prices.has(blockNumber) ? sum : sum + shares),
    0n,
  );
  const estimate = { shares: rest, assets: rest > 0n ? ((await worth(rest, blocks.pinned)) ?? 0n) : 0n };
  const priced = movements.map((movement): PricedMovement => {
    const { kind, assets, shares, blockNumber } = movement;
    if (assets !== undefined) return { ...movement, assets };
    // A transfer out takes its cost along; its worth does not matter.
    if (kind !== 'transfer-in') return { ...movement, assets: 0n };
    const price = prices.get(blockNumber) ?? estimate;
    return { ...movement, assets: (price.assets * shares) / price.shares };
  });
  return { movements: priced, prices };
}
