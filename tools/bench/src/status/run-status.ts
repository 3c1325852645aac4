import { setTimeout as pause } from 'node:timers/promises';
import { chainSchema, createActiveChains } from '@yield-vault/chains';
import { openDatabase } from '@yield-vault/database';
import { createDatabaseScanStore, createPositions, type Positions } from '@yield-vault/positions';
import { vaultIdOf } from '@yield-vault/protocol';
import {
  buildRankedVault,
  startLogNode,
  testAccount,
  type LogNode,
  type ShareMove,
} from '@yield-vault/testing';
import { zeroAddress } from 'viem';

/** A node, and how long a past lies behind it. */
export interface StatusScenario {
  readonly name: string;
  /** Blocks that the node accepts in one log query. */
  readonly mostBlocks: number;
  /** HTTP requests in one second that the node accepts. */
  readonly requestsPerSecond?: number;
}

/** The past of one wallet, read once. */
export interface StatusRun {
  readonly name: string;
  /** Ranges of the largest size that the node accepts. */
  readonly ranges: number;
  readonly firstMs: number;
  readonly firstQueries: number;
  /** From the first request until the cost basis is exact. */
  readonly exactMs: number;
  readonly queries: number;
  /** HTTP requests until then. */
  readonly requests: number;
  /** HTTP requests of one status afterwards. */
  readonly requestsAfter: number;
}

export interface StatusSettings {
  readonly ranges: number;
  readonly latencyMs: number;
}

const unit = 1_000_000n;
const rangeBlocks = 10_000n;
const vaultCount = 150;
const wallet = testAccount('owner').address;
const pollMs = 250;

const scenarios: readonly StatusScenario[] = [
  { name: 'ranges of 10k', mostBlocks: 10_000 },
  { name: 'ranges of 2k', mostBlocks: 2_000 },
  { name: 'throttled, 10k', mostBlocks: 10_000, requestsPerSecond: 5 },
];

/** Read the past of a wallet that has held shares since the first range, at nodes of several kinds. */
export async function runStatus({ ranges, latencyMs }: StatusSettings): Promise<StatusRun[]> {
  const runs: StatusRun[] = [];
  for (const scenario of scenarios)
    runs.push(await measure(scenario, BigInt(ranges) * rangeBlocks, latencyMs));
  return runs;
}

async function measure(scenario: StatusScenario, head: bigint, latencyMs: number): Promise<StatusRun> {
  const vaults = Array.from({ length: vaultCount }, (_, index) => {
    const vaultAddress = testAccount(`vault ${index}`).address;
    return buildRankedVault({ vaultId: vaultIdOf(8453, vaultAddress), vaultAddress, shareDecimals: 6 });
  });
  const held = vaults[0]!.vaultAddress;
  const moves: ShareMove[] = [100n, head / 2n, head - 5_000n].map((block) => ({
    ...{ block, vault: held, from: zeroAddress, to: wallet, shares: unit },
  }));
  const { mostBlocks, requestsPerSecond } = scenario;
  const node = await startLogNode({
    ...{ head, moves, delayMs: latencyMs, logDelayMs: latencyMs, mostBlocks: BigInt(mostBlocks) },
    ...(requestsPerSecond && { requestsPerSecond }),
  });
  const database = await openDatabase({ memory: true });
  const stop = new AbortController();
  const base = chainSchema.parse({
    ...{ chainId: 8453, name: 'Simulated', rpcUrls: [node.rpcUrl], explorerUrl: 'https://explorer.example' },
    contracts: { paymasterOwner: wallet },
  });
  const logs = createActiveChains({ chains: { base } }, { retries: 0 });
  const chains = createActiveChains({ chains: { base } }).all;
  const positions = createPositions({
    chains: { all: chains.map((chain) => ({ ...chain, logs: logs.require(chain.key).rpc })) },
    ...{ vaults: { list: () => vaults }, store: createDatabaseScanStore(database) },
  });
  const reading = positions.readPast(stop.signal);
  try {
    const first = await timed(node, () => positions.status(wallet));
    const scan = database.db.selectFrom('position_scan').select('next_block');
    // Polling the database costs the node nothing.
    while ((await scan.executeTakeFirstOrThrow()).next_block <= head - node.state.finality)
      await pause(pollMs);
    const last = await untilExact(positions);
    const exactMs = performance.now() - first.startedAt;
    const { queries, requests } = { queries: node.logQueries().length, requests: node.requests };
    await pause(1_000);
    const after = await timed(node, () => positions.status(wallet));
    if (last !== '3') throw new Error(`the cost basis is ${last}, not 3`);
    return {
      ...{
        name: scenario.name,
        ranges: Number(head) / mostBlocks,
        firstMs: first.ms,
        firstQueries: first.queries,
      },
      ...{ exactMs, queries, requests, requestsAfter: after.requests },
    };
  } finally {
    stop.abort();
    await reading;
    await Promise.all([node.stop(), database.close()]);
  }
}

/** @returns the amount that the wallet deposited */
async function untilExact(positions: Positions): Promise<string> {
  for (;;) {
    const [position] = (await positions.status(wallet).catch(() => undefined))?.positions ?? [];
    if (position?.costBasis === 'exact') return position.depositedAmount;
    await pause(pollMs);
  }
}

async function timed(node: LogNode, run: () => Promise<unknown>) {
  const [startedAt, queries, requests] = [performance.now(), node.logQueries().length, node.requests];
  await run();
  return {
    startedAt,
    ms: performance.now() - startedAt,
    queries: node.logQueries().length - queries,
    requests: node.requests - requests,
  };
}
