import { paymasterAllowance } from '@yield-vault/chains';
import type { DatabaseHandle } from '@yield-vault/database';
import {
  formatAmount,
  InvalidParametersError,
  maxBigInt,
  minBigInt,
  sameHex,
  usdcDecimals,
  type RankedVault,
  type WalletSetup,
} from '@yield-vault/protocol';
import { readWalletState } from '@yield-vault/smart-account';
import type { Address, PublicClient } from 'viem';
import { partialBasis, reconcile, replayAverageCost } from './average-cost.js';
import { judgeCoverage, type Coverage } from './coverage.js';
import { chooseHistoricBlocks, priceMovements } from './movements.js';
import type { FollowerPort, PositionsChain, StatusCall, WalletKey } from './ports.js';
import { readHead, readShareValues } from './read-vaults.js';
import { firstBlocks, paidGas, storedMovements, storePrices } from './stored-events.js';
import { beginPast, findPast } from './stored-pasts.js';
import type { ChainHoldings, Holding } from './types.js';

/** What is needed to load holdings on one chain. */
export interface HoldingsSource {
  readonly chain: PositionsChain;
  readonly db: DatabaseHandle['db'];
  readonly follower: FollowerPort;
  /** First block that can hold an event of a wallet. */
  readonly fromBlock: bigint;
}

// Leaves a second for the values.
const reachMs = 2_000;
// A price of a block that can still be replaced is not kept.
const settledBlocks = 64n;

/**
 * Load the holdings and earnings of some wallets in some vaults of one chain, all at one block. It makes two requests to the
 * node: the head, and values.
 *
 * @returns in the order of the wallets
 */
export async function loadHoldings(
  source: HoldingsSource,
  vaults: readonly RankedVault[],
  wallets: readonly Address[],
  { client, signal }: StatusCall,
): Promise<ChainHoldings[]> {
  const { chain, db, follower } = source;
  const addresses = vaults.map(({ vaultAddress }) => lowerCase(vaultAddress));
  const listed = vaults.filter((vault) => vault.listed);
  const assets = [...new Map(listed.map(({ asset }) => [lowerCase(asset.address), asset])).values()];
  const [{ pinned, balances }, setups] = await Promise.all([
    readHead(chain.rpc, wallets, [...addresses, ...assets.map(({ address }) => address)]),
    Promise.all(wallets.map((wallet) => readSetup(chain, wallet))),
  ]);
  signal?.throwIfAborted();
  const isFollowed = await follower.reach(chain.chainId, pinned, reachMs, signal);
  signal?.throwIfAborted();
  const followedFrom = await firstBlocks(db, chain.chainId);
  const found = await Promise.all(
    wallets.map((wallet, index) =>
      findHeld(
        source,
        wallet,
        vaults.map((vault, place) => ({
          vault,
          vaultAddress: addresses[place]!,
          balance: balances[index]![place]!,
          firstBlock: followedFrom.get(addresses[place]!),
        })),
        { pinned, isFollowed, client },
      ),
    ),
  );
  // Together, so that the reads of all wallets share requests.
  return Promise.all(
    found.map(async ({ key, held, gasUsdc }, index) => ({
      holdings: await valueHoldings(source, key, pinned, held),
      gasPaidUsd: inUsd(gasUsdc, vaults, chain.usdc),
      setup: setups[index]!,
      idle: assets.flatMap(({ symbol, decimals }, place) => {
        const balance = balances[index]![vaults.length + place]!;
        return balance > 0n ? [{ asset: symbol, amount: formatAmount(balance, decimals) }] : [];
      }),
    })),
  );
}

const lowerCase = (address: Address) => address.toLowerCase() as Address;

/** Read how far a wallet is set up. A contract cannot be, because it has no key. */
async function readSetup(chain: PositionsChain, wallet: Address): Promise<WalletSetup> {
  const state = await readWalletState(chain.rpc, { ...chain, ...chain.contracts }, wallet).catch(
    (error: unknown) => {
      if (error instanceof InvalidParametersError) return undefined;
      throw error;
    },
  );
  if (state?.kind !== 'configured') return state?.kind === 'modules-missing' ? state.kind : 'none';
  return state.paymasterAllowance >= paymasterAllowance(chain, 1n) ? 'ready' : 'modules-missing';
}

/** Find the vaults of which a wallet holds shares or held some, with the events that are stored. Ask for the past of others. */
async function findHeld(
  { chain: { chainId }, db, fromBlock }: HoldingsSource,
  wallet: Address,
  balances: readonly Pick<Held, 'vault' | 'vaultAddress' | 'balance' | 'firstBlock'>[],
  at: Pick<StatusCall, 'client'> & { readonly pinned: bigint; readonly isFollowed: boolean },
): Promise<{ readonly key: WalletKey; readonly held: readonly Held[]; readonly gasUsdc: bigint }> {
  const { pinned, isFollowed, client } = at;
  const key = { chainId, wallet };
  // Before the events: a past that ends in between still counts as unfinished.
  const past = await findPast(db, key);
  const [movements, gasUsdc] = await Promise.all([
    storedMovements(db, key, pinned),
    paidGas(db, key, pinned),
  ]);
  const isReached = isFollowed && movements !== undefined;
  const held = balances
    .map((each): Held => {
      const { vaultAddress, balance, firstBlock } = each;
      const stored = movements?.get(vaultAddress) ?? [];
      const facts = { vault: vaultAddress, balance, stored, firstBlock, fromBlock, past, isReached };
      return { ...each, ...judgeCoverage(facts) };
    })
    .filter(({ balance, movements: own }) => balance > 0n || own.length > 0);
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
  return { key, held, gasUsdc };
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
