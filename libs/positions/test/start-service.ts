import { setTimeout as pause } from 'node:timers/promises';
import { createActiveChains } from '@yield-vault/chains';
import { startJobs, storeChainEvents, type DatabaseHandle } from '@yield-vault/database';
import { vaultIdOf } from '@yield-vault/protocol';
import type { WalletMovement } from '@yield-vault/smart-account';
import { buildRankedVault, testAccount, type LogNode, type ShareMove } from '@yield-vault/testing';
import { zeroAddress, type Address } from 'viem';
import { createPositions, type PositionsOptions } from '../src/create-positions.js';
import type { CostsPort, FollowerPort } from '../src/ports.js';
import { buildChainConfig } from './chain-config.js';

export const chainId = 8453;
export const unit = 1_000_000n;
export const wallet = testAccount('owner').address;
export const other = testAccount('other').address;
export const vault = '0x3000000000000000000000000000000000000003';
export const second = '0x4000000000000000000000000000000000000004';

export const deposit = (block: bigint, shares: bigint, to: Address = wallet): ShareMove => ({
  block,
  vault,
  from: zeroAddress,
  to,
  shares,
});
export const redeem = (block: bigint, shares: bigint): ShareMove => ({
  block,
  vault,
  from: wallet,
  to: zeroAddress,
  shares,
});

/** Follow a vault from a block on. */
export async function follow({ db }: DatabaseHandle, address: Address, firstBlock: bigint): Promise<void> {
  await db
    .insertInto('followed_contract')
    .values({ chain_id: chainId, address: address.toLowerCase(), first_block: firstBlock })
    .execute();
}

/** Move shares on the node, and store the events as a follower does. */
export async function moveFollowed({ db }: DatabaseHandle, node: LogNode, move: ShareMove): Promise<void> {
  node.state.moves.push(move);
  const { from, to, shares, block, vault: of } = move;
  const isMint = from === zeroAddress;
  const isBurn = to === zeroAddress;
  const build = (owner: Address, kind: WalletMovement['kind']): WalletMovement => ({
    wallet: owner.toLowerCase() as Address,
    vault: of,
    kind,
    shares,
    assets: isMint || isBurn ? shares : undefined,
    blockNumber: block,
    logIndex: node.state.moves.length,
  });
  const movements = [
    ...(isMint ? [] : [build(from, isBurn ? 'withdraw' : 'transfer-out')]),
    ...(isBurn ? [] : [build(to, isMint ? 'deposit' : 'transfer-in')]),
  ];
  await storeChainEvents(db, chainId, { movements, operations: [] });
}

/** One process: its positions, and its job. */
export function startService(
  database: DatabaseHandle,
  node: LogNode,
  {
    follower = { reach: () => Promise.resolve(true) },
    vaults = [vault],
    costs,
    ...options
  }: PositionsOptions & {
    readonly follower?: FollowerPort;
    readonly vaults?: readonly Address[];
    readonly costs?: CostsPort;
  } = {},
) {
  const config = {
    chains: { base: { ...buildChainConfig(node.rpcUrl), deadlines: { rpcMs: 5_000, bundlerMs: 1 } } },
  };
  const listed = vaults.map((vaultAddress) =>
    buildRankedVault({ vaultId: vaultIdOf(chainId, vaultAddress), vaultAddress, shareDecimals: 6 }),
  );
  const positions = createPositions({
    chains: createActiveChains(config),
    logs: createActiveChains(config, { retries: 0 }),
    vaults: { list: () => listed },
    database,
    follower,
    costs,
    options: { base: { blocks: 1_000, requestsPerSecond: 10_000, ...options } },
  });
  const positionOf = async (of: Address = wallet) => (await positions.status(of)).positions[0];
  const untilExact = async (of: Address = wallet) => {
    for (;;) {
      const position = await positionOf(of);
      if (position?.costBasis === 'exact') return position;
      await pause(20);
    }
  };
  return { ...positions, positionOf, untilExact, startReading: () => startJobs(() => positions.jobs).stop };
}
