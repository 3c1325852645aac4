import type { DatabaseHandle } from '@yield-vault/database';
import {
  formatAmount,
  maxBigInt,
  minBigInt,
  sameHex,
  usdcDecimals,
  type RankedVault,
} from '@yield-vault/protocol';
import type { Address, PublicClient } from 'viem';
import { partialBasis, reconcile, replayAverageCost } from './average-cost.js';
import { judgeCoverage, type Coverage } from './coverage.js';
import { chooseHistoricBlocks, priceMovements } from './movements.js';
import type { FollowerPort, PositionsChain, StatusCall, WalletKey } from './ports.js';
import { readHead, readShareValues } from './read-vaults.js';
import { firstBlocks, paidGas, storedMovements, storePrices } from './stored-events.js';
import { beginPast, findPast } from './stored-pasts.js';
import type { Holding } from './types.js';

/** What is needed to load holdings on one chain. */
export interface HoldingsSource {
  readonly chain: PositionsChain;
  readonly db: DatabaseHandle['db'];
  readonly follower: FollowerPort;
  /** First block that can hold an event of a wallet. */
  readonly fromBlock: bigint;
}

/** What a wallet holds on one chain, and what it paid for gas. */
export interface ChainHoldings {
  readonly holdings: readonly Holding[];
  readonly gasPaidUsd: number;
}

// Leaves a second for the values.
const reachMs = 2_000;
// A price of a block that can still be replaced is not kept.
const settledBlocks = 64n;

/**
 * Load the holdings and earnings of a wallet in some vaults of one chain, all at one block. It makes two requests to the
 * node: the head, and values.
 */
export async function loadHoldings(
  source: HoldingsSource,
  vaults: readonly RankedVault[],
  wallet: Address,
  { client, signal }: StatusCall,
): Promise<ChainHoldings> {
  if (vaults.length === 0) return { holdings: [], gasPaidUsd: 0 };
  const { chain, db, follower, fromBlock } = source;
  const { chainId } = chain;
  const key = { chainId, wallet };
  const addresses = vaults.map(({ vaultAddress }) => vaultAddress.toLowerCase() as Address);
  const { pinned, balances } = await readHead(chain.rpc, wallet, addresses);
  signal?.throwIfAborted();
  const isFollowed = await follower.reach(chainId, pinned, reachMs, signal);
  signal?.throwIfAborted();
  // Before the events: a past that ends in between still counts as unfinished.
  const [past, followedFrom] = await Promise.all([findPast(db, key), firstBlocks(db, chainId)]);
  const [movements, gasUsdc] = await Promise.all([
    storedMovements(db, key, pinned),
    paidGas(db, key, pinned),
  ]);
  const isReached = isFollowed && movements !== undefined;
  const held = vaults
    .map((vault, index): Held => {
      const vaultAddress = addresses[index]!;
      const balance = balances[index]!;
      const stored = movements?.get(vaultAddress) ?? [];
      const firstBlock = followedFrom.get(vaultAddress);
      const facts = { vault: vaultAddress, balance, stored, firstBlock, fromBlock, past, isReached };
      return { vault, vaultAddress, balance, firstBlock, ...judgeCoverage(facts) };
    })
    .filter(({ balance, movements: found }) => balance > 0n || found.length > 0);
  const unread = held.filter(({ needsPast }) => needsPast);
  if (unread.length > 0) {
    const last = unread.reduce((newest, { firstBlock = 0n }) => maxBigInt(newest, firstBlock - 1n), 0n);
    await beginPast(
      db,
      {
        ...key,
        vaults: unread.map(({ vaultAddress }) => vaultAddress),
        nextBlock: fromBlock,
        lastBlock: last,
      },
      client,
    );
  }
  return {
    holdings: await valueHoldings(source, key, pinned, held),
    gasPaidUsd: inUsd(gasUsdc, vaults, chain.usdc),
  };
}

/** USDC has the price that it has in vaults, or 1 USD. */
function inUsd(baseUnits: bigint, vaults: readonly RankedVault[], usdc: Address): number {
  const { assetPriceUsd = 0 } = vaults.find(({ asset }) => sameHex(asset.address, usdc)) ?? {};
  return Number(formatAmount(baseUnits, usdcDecimals)) * (assetPriceUsd || 1);
}

/** A vault of which the wallet holds shares, or held some. */
interface Held extends Coverage {
  readonly vault: RankedVault;
  /** Lower case. */
  readonly vaultAddress: Address;
  readonly balance: bigint;
  readonly firstBlock: bigint | undefined;
}

/** Value some holdings with one request: present values, prices of received shares, times of first deposits. */
async function valueHoldings(
  { chain: { rpc }, db, fromBlock }: HoldingsSource,
  key: WalletKey,
  pinned: bigint,
  held: readonly Held[],
): Promise<Holding[]> {
  const historicBlocks = chooseHistoricBlocks(held);
  const values = readShareValues(rpc, held, pinned);
  return Promise.all(
    held.map(async ({ vault, vaultAddress, balance, movements, isComplete }, index): Promise<Holding> => {
      const historic = historicBlocks[index]!;
      const unpriced = movements.map((movement) => ({ ...movement, assets: movement.assets ?? 0n }));
      const { openedAtBlock = fromBlock } = replayAverageCost(unpriced);
      const [value, { movements: priced, prices }, openedAtSeconds] = await Promise.all([
        values.then((all) => all[index]!),
        priceMovements(rpc, vaultAddress, movements, { historic, pinned }),
        balance === 0n ? 0 : blockTime(rpc, minBigInt(openedAtBlock, pinned)),
      ]);
      const settled = [...prices].filter(([block]) => block + settledBlocks <= pinned);
      await storePrices(db, key, vaultAddress, settled);
      const replayed = replayAverageCost(priced);
      return {
        vault,
        shares: balance,
        costBasis: isComplete ? reconcile(replayed, balance, value.assets) : partialBasis(replayed, balance),
        realised: replayed.realised,
        currentValue: value.redeemable,
        openedAtSeconds,
        isComplete,
      };
    }),
  );
}

async function blockTime(rpc: PublicClient, blockNumber: bigint): Promise<number> {
  return Number((await rpc.getBlock({ blockNumber })).timestamp);
}
