import type { RankedVault } from '@yield-vault/protocol';
import type { Address, PublicClient } from 'viem';
import { reconcile, replayAverageCost } from './average-cost.js';
import { chooseHistoricBlocks, groupBy, pairMovements, priceMovements } from './movements.js';
import { readShareLogs } from './read-share-logs.js';
import { readBalances, readShareValues } from './read-vaults.js';
import type { Holding } from './types.js';

/** Where to search for a wallet's events. */
export interface LogRange {
  readonly fromBlock: bigint;
  /** Blocks of the first request. */
  readonly initialBlocks: bigint;
}

/** Load the holdings and earnings of a wallet in some vaults of one chain, all at one block. */
export async function loadHoldings(
  rpc: PublicClient,
  vaults: readonly RankedVault[],
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

  const logsOf = groupBy(logs, ({ vaultAddress }) => vaultAddress.toLowerCase());
  const touched = vaults
    .map((vault, index) => ({
      vault,
      vaultAddress: vault.vaultAddress,
      balance: balances[index] ?? 0n,
      movements: pairMovements(logsOf.get(vault.vaultAddress.toLowerCase()) ?? []),
    }))
    .filter(({ balance, movements }) => balance > 0n || movements.length > 0);
  const values = await readShareValues(rpc, touched, pinned);
  const historicBlocks = chooseHistoricBlocks(touched);

  return Promise.all(
    touched.map(async ({ vault, balance, movements }, index): Promise<Holding> => {
      const value = values[index] ?? { redeemable: 0n, assets: 0n };
      const priced = await priceMovements(rpc, vault.vaultAddress, movements, {
        historic: historicBlocks[index]!,
        pinned,
      });
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
