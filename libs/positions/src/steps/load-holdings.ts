import type { ListedVault } from '@yield-vault/protocol';
import { isAddressEqual, type Address, type PublicClient } from 'viem';
import type { Holding } from '../types.js';
import { pairMovements } from './pair-movements.js';
import { priceMovements } from './price-movements.js';
import { readShareLogs } from './read-share-logs.js';
import { readBalances, readShareValues } from './read-vaults.js';
import { reconcile } from './reconcile.js';
import { replayAverageCost } from './replay-average-cost.js';

/** Where to look for a wallet's events. */
export interface LogRange {
  readonly fromBlock: bigint;
  /** Blocks of the first request. */
  readonly initialBlocks: bigint;
}

/** Load what a wallet holds and earned at some vaults of one chain, everything as of one block. */
export async function loadHoldings(
  rpc: PublicClient,
  vaults: readonly ListedVault[],
  wallet: Address,
  range: LogRange,
): Promise<Holding[]> {
  if (vaults.length === 0) return [];
  const addresses = vaults.map(({ vaultAddress }) => vaultAddress);
  const pinned = await rpc.getBlockNumber({ cacheTime: 0 });
  const [logs, balances] = await Promise.all([
    readShareLogs(rpc, wallet, addresses, { ...range, toBlock: pinned }),
    readBalances(rpc, wallet, addresses, pinned),
  ]);

  const touched = vaults
    .map((vault, index) => ({
      vault,
      vaultAddress: vault.vaultAddress,
      balance: balances[index] ?? 0n,
      logs: logs.filter(({ vaultAddress }) => isAddressEqual(vaultAddress, vault.vaultAddress)),
    }))
    .filter(({ balance, logs }) => balance > 0n || logs.length > 0);
  const values = await readShareValues(rpc, touched, pinned);

  return Promise.all(
    touched.map(async ({ vault, balance, logs }, index): Promise<Holding> => {
      const value = values[index] ?? { redeemable: 0n, assets: 0n };
      const priced = await priceMovements(rpc, vault.vaultAddress, pairMovements(logs), pinned);
      const replayed = replayAverageCost(priced.movements);
      const { costBasis, basisEstimated } = reconcile(replayed, balance, value.assets);
      return {
        vault,
        costBasis,
        realised: replayed.realised,
        currentValue: value.redeemable,
        openedAtSeconds: balance === 0n ? 0 : await blockTime(rpc, replayed.openedAtBlock ?? range.fromBlock),
        basisEstimated: basisEstimated || priced.isEstimated,
      };
    }),
  );
}

async function blockTime(rpc: PublicClient, blockNumber: bigint): Promise<number> {
  return Number((await rpc.getBlock({ blockNumber })).timestamp);
}
