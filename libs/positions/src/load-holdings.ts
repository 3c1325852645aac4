import { formatAmount, sameHex, usdcDecimals, type RankedVault } from '@yield-vault/protocol';
import type { Address, PublicClient } from 'viem';
import { partialBasis, reconcile, replayAverageCost } from './average-cost.js';
import { chooseHistoricBlocks, placeOf, priceMovements } from './movements.js';
import { openScan } from './open-scan.js';
import type { GasPayment, PositionsChain, ScanStore, VaultMovement, WalletKey } from './ports.js';
import { readHead, readShareValues, type Head } from './read-vaults.js';
import type { SharedReader } from './share-reads.js';
import type { EventPlace, Holding } from './types.js';

/** What is needed to load holdings on one chain. */
export interface HoldingsSource {
  readonly chain: PositionsChain;
  readonly store: ScanStore;
  readonly past: SharedReader;
  /** First block that can hold an event of a wallet. */
  readonly fromBlock: bigint;
  readonly mayBeReplaced: boolean;
}

/** What a wallet holds on one chain, and what it paid for gas. */
export interface ChainHoldings {
  readonly holdings: readonly Holding[];
  readonly gasPaidUsd: number;
}

/**
 * Load the holdings and earnings of a wallet in some vaults of one chain, all at one block. It makes three requests: the
 * head, new events, and values. New operations cost one more, for their payments.
 *
 * @param waiting - ends waiting for the past
 * @param signal - ends everything
 */
export async function loadHoldings(
  source: HoldingsSource,
  vaults: readonly RankedVault[],
  wallet: Address,
  { waiting, signal }: { readonly waiting: AbortSignal; readonly signal?: AbortSignal | undefined },
): Promise<ChainHoldings> {
  if (vaults.length === 0) return nothing;
  const { chain, store, past: reader } = source;
  const key = { chainId: chain.chainId, wallet };
  const addresses = vaults.map(({ vaultAddress }) => vaultAddress.toLowerCase() as Address);
  const known = await store.find(key);
  const head = await readHead(chain, wallet, addresses, known?.target.number);
  signal?.throwIfAborted();
  const scan = await openScan(store, chain, { ...source, key, known, head, vaults: addresses });
  if (!scan) return nothing;
  const past = await reader.catchUp(scan, head, waiting);
  signal?.throwIfAborted();
  const stored = await store.findings(key);
  const seen = <T extends EventPlace>(events: readonly T[]) => distinct(events, head.pinned);
  const movements = groupByVault(seen([...past.head.movements, ...stored.movements]));
  const payments = seen([...past.head.payments, ...stored.payments]);
  const touched = vaults
    .map((vault, index) => ({
      vault,
      vaultAddress: vault.vaultAddress,
      balance: head.balances[index]!,
      movements: movements.get(addresses[index]!) ?? [],
    }))
    .filter(({ balance, movements: found }) => balance > 0n || found.length > 0);
  return {
    holdings: await valueHoldings(source, key, { ...head, isComplete: past.isComplete }, touched),
    gasPaidUsd: inUsd(payments, vaults, chain.usdc),
  };
}

const nothing: ChainHoldings = { holdings: [], gasPaidUsd: 0 };

/** USDC has the price that it has in vaults, or 1 USD. */
function inUsd(payments: readonly GasPayment[], vaults: readonly RankedVault[], usdc: Address): number {
  const { assetPriceUsd = 0 } = vaults.find(({ asset }) => sameHex(asset.address, usdc)) ?? {};
  const paid = payments.reduce((sum, { amount }) => sum + amount, 0n);
  return Number(formatAmount(paid, usdcDecimals)) * (assetPriceUsd || 1);
}

/** Take each event once: some may have been stored since the head was read. */
function distinct<T extends EventPlace>(events: readonly T[], newest: bigint): T[] {
  const each = new Map(events.map((event) => [placeOf(event), event])).values();
  return [...each].filter(({ blockNumber }) => blockNumber <= newest);
}

function groupByVault(movements: readonly VaultMovement[]): Map<Address, VaultMovement[]> {
  const groups = new Map<Address, VaultMovement[]>();
  for (const movement of movements) {
    const group = groups.get(movement.vault);
    if (group) group.push(movement);
    else groups.set(movement.vault, [movement]);
  }
  return groups;
}

/** A vault of which the wallet holds shares, or held some. */
interface Touched {
  readonly vault: RankedVault;
  readonly vaultAddress: Address;
  readonly balance: bigint;
  readonly movements: readonly VaultMovement[];
}

/** Value some holdings with one request: present values, prices of received shares, times of first deposits. */
async function valueHoldings(
  { chain: { rpc }, store, fromBlock }: HoldingsSource,
  key: WalletKey,
  { pinned, final, isComplete }: Head & { readonly isComplete: boolean },
  touched: readonly Touched[],
): Promise<Holding[]> {
  const historicBlocks = chooseHistoricBlocks(touched);
  const values = readShareValues(rpc, touched, pinned);
  return Promise.all(
    touched.map(async ({ vault, vaultAddress, balance, movements }, index): Promise<Holding> => {
      const historic = historicBlocks[index]!;
      const unpriced = movements.map((movement) => ({ ...movement, assets: movement.assets ?? 0n }));
      const { openedAtBlock = fromBlock } = replayAverageCost(unpriced);
      const [value, priced, openedAtSeconds] = await Promise.all([
        values.then((all) => all[index]!),
        priceMovements(rpc, vaultAddress, movements, { historic, pinned }),
        balance === 0n ? 0 : blockTime(rpc, openedAtBlock < pinned ? openedAtBlock : pinned),
      ]);
      // A price of a final block is read once.
      const learnt = movements.flatMap(({ kind, assets, blockNumber, vault: of }, place) =>
        kind === 'transfer-in' &&
        assets === undefined &&
        blockNumber <= final.number &&
        historic.has(blockNumber)
          ? [{ ...priced[place]!, vault: of }]
          : [],
      );
      await store.price(key, learnt);
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
