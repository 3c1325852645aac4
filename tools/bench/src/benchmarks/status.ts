import { setTimeout as pause } from 'node:timers/promises';
import { createActiveChains } from '@yield-vault/chains';
import { activeBase } from '@yield-vault/devnet';
import { openDatabase, startJobs } from '@yield-vault/database';
import { createPositions } from '@yield-vault/positions';
import { buildRankedVault, startLogNode, testAccount } from '@yield-vault/testing';
import { zeroAddress } from 'viem';
import { benchmark, goal, type Defer, type Row, type Table } from '../harness.js';

/** Time and queries of the first status, time until it is exact, requests of a later one. */
const most = [3_000, 0, 600_000, 2];
const wallet = testAccount('owner').address;
const pollMs = 250;

/** Nodes that limit log queries, and the number of HTTP requests in one second. */
const nodes = {
  'ranges of 10k': { mostBlocks: 10_000n },
  'ranges of 2k': { mostBlocks: 2_000n },
  'throttled, 10k': { mostBlocks: 10_000n, requestsPerSecond: 5 },
};

export const status = benchmark({
  description: 'time until the past of a wallet is read at a distant node, and what a status costs',
  options: { ranges: 1_577, latency: 50 },
  run: async ({ ranges, latency }, defer) => {
    const table: Table = {};
    for (const [name, limits] of Object.entries(nodes))
      table[name] = await readPast(limits, BigInt(ranges) * 10_000n, latency, defer);
    return table;
  },
});

/** Read the past of a wallet that has held shares since the first range. */
async function readPast(
  limits: { readonly mostBlocks: bigint; readonly requestsPerSecond?: number },
  head: bigint,
  delayMs: number,
  defer: Defer,
): Promise<Row> {
  const vaults = Array.from({ length: 150 }, (_, index) =>
    buildRankedVault({ vaultAddress: testAccount(`vault ${index}`).address, shareDecimals: 6 }),
  );
  const moves = [100n, head / 2n, head - 5_000n].map((block) => ({
    block,
    vault: vaults[0]!.vaultAddress,
    from: zeroAddress,
    to: wallet,
    shares: 1_000_000n,
  }));
  const node = await startLogNode({ head, moves, delayMs, logDelayMs: delayMs, ...limits });
  defer(() => node.stop());
  const database = await openDatabase({ memory: true });
  defer(() => database.close());
  const chain = activeBase(node);
  // The follower begins now: everything before is the past.
  const { chainId } = chain;
  const followed = {
    chain_id: chainId,
    address: vaults[0]!.vaultAddress.toLowerCase(),
    first_block: head + 1n,
  };
  await database.db.insertInto('followed_contract').values(followed).execute();
  const positions = createPositions({
    chains: { all: [chain] },
    logs: createActiveChains({ chains: { base: chain } }, { retries: 0 }),
    vaults: { list: () => vaults },
    database,
    follower: { reach: () => Promise.resolve(true) },
  });
  const jobs = startJobs(() => positions.jobs, { logger: console });
  defer(() => jobs.stop());

  const start = performance.now();
  const sinceStart = () => performance.now() - start;
  await positions.status(wallet);
  const [firstMs, firstQueries] = [sinceStart(), node.logQueries().length];
  const past = database.db.selectFrom('wallet_past').select('next_block');
  // Polling the database costs the node nothing.
  while ((await past.executeTakeFirstOrThrow()).next_block <= head) await pause(pollMs);
  for (let isExact = false; !isExact; await pause(pollMs)) {
    const found = await positions.status(wallet).catch(() => undefined);
    const { costBasis, depositedAmount } = found?.positions[0] ?? {};
    isExact = costBasis === 'exact';
    if (isExact && depositedAmount !== '3') throw new Error(`The cost basis is ${depositedAmount}, not 3`);
  }
  const [exactMs, queries, { requests }] = [sinceStart(), node.logQueries().length, node];
  await pause(1_000);
  await positions.status(wallet);
  const requestsAfter = node.requests - requests;
  await jobs.stop();

  const ranges = Number(head / limits.mostBlocks);
  const figures = [firstMs, firstQueries, exactMs, requestsAfter];
  return {
    ranges,
    'first (ms)': firstMs,
    'its queries': firstQueries,
    'exact after (s)': exactMs / 1_000,
    queries,
    'a range': queries / ranges,
    requests,
    'of a status then': requestsAfter,
    ...goal(
      most.join(', '),
      figures.every((value, index) => value <= most[index]!),
    ),
  };
}
