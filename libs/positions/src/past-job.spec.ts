import { setImmediate as nextTick } from 'node:timers/promises';
import { UpstreamFailure, createActiveChains } from '@yield-vault/chains';
import type { DatabaseHandle } from '@yield-vault/database';
import { openTestDatabase } from '@yield-vault/database/testing';
import { silentLogger } from '@yield-vault/protocol';
import { testAccount } from '@yield-vault/testing';
import { sql } from 'kysely';
import { RpcRequestError, type PublicClient } from 'viem';
import { buildChainConfig } from '../test/chain-config.js';
import { chainId, vault } from '../test/start-service.js';
import { createPastJob } from './past-job.js';
import { beginPast, findPast } from './stored-pasts.js';

const last = 19_999n;
const accountOf = (name: string) => testAccount(name).address;
const honest = Array.from({ length: 8 }, (_, index) => accountOf(`honest ${index}`));
const [stuck, dense] = [accountOf('stuck'), accountOf('dense')];

interface Query {
  readonly wallet: string;
  readonly from: bigint;
  readonly blocks: bigint;
}
const is = (wallet: string, other: string) => wallet === other.toLowerCase();
const isStuck = ({ wallet, from, blocks }: Query) =>
  is(wallet, stuck) && from <= 2_500n && from + blocks > 2_500n;
const failure = (code: number, message: string) =>
  new RpcRequestError({ body: {}, url: 'http://node.example', error: { code, message } });
const tooMany = failure(-32005, 'query returned more than 10000 results');

describe('createPastJob', () => {
  let database: DatabaseHandle;
  let queries: Query[] = [];
  /** Queries of one request. */
  let batch: Query[] = [];
  let refuse: (query: Query, batch: readonly Query[]) => Error | undefined;
  const past = async (wallet: `0x${string}`) => (await findPast(database.db, { chainId, wallet }))!;
  const createJob = async (wallets: readonly `0x${string}`[]) => {
    for (const wallet of wallets) {
      const past = { chainId, wallet, vaults: [vault], nextBlock: 0n, lastBlock: last } as const;
      await beginPast(database.db, past, undefined);
    }
    const rpc = {
      request: async ({ params: [{ topics, fromBlock, toBlock }] }: { params: [Record<string, string>] }) => {
        const from = BigInt(fromBlock!);
        const wallet = `0x${topics![2]!.slice(-40)}`;
        const query = { wallet, from, blocks: BigInt(toBlock!) - from + 1n };
        queries.push(query);
        const company = batch;
        company.push(query);
        await nextTick();
        batch = [];
        const error = refuse(query, company);
        if (error) throw error;
        return [];
      },
    } as unknown as PublicClient;
    const chain = createActiveChains({ chains: { base: buildChainConfig('http://127.0.0.1:1') } });
    const limits = { blocks: 1_000, requestsPerSecond: 100_000, concurrency: 4 };
    const job = createPastJob(chain.require('base'), { rpc }, database, limits, silentLogger);
    return (): Promise<unknown> => job.run(AbortSignal.timeout(60_000));
  };

  beforeAll(async () => {
    database = await openTestDatabase();
  });
  afterAll(() => database.close());
  beforeEach(async () => {
    queries = [];
    await database.db.deleteFrom('wallet_past').execute();
  });

  it('default: a past with a refused block is held, a dense one is slow, and the others go on', async () => {
    refuse = (query) =>
      isStuck(query) || (is(query.wallet, dense) && query.blocks > 100n) ? tooMany : undefined;
    const run = await createJob([...honest, stuck, dense]);
    // 20 ranges of eight pasts, and 50 windows of two others, four at a time.
    for (let each = 0; each < 65; each += 1) await run();
    for (const wallet of honest)
      expect(queries.filter((query) => is(query.wallet, wallet)).map(({ blocks }) => blocks)).toEqual(
        Array.from({ length: 20 }, () => 1_000n),
      );
    expect((await past(dense)).nextBlock).toBeGreaterThan(3_000n);
    expect((await past(stuck)).nextBlock).toBe(2_500n);

    const before = queries.length;
    for (let each = 0; each < 5; each += 1) await run();
    expect(queries.slice(before).filter(isStuck)).toEqual([]);
    await sql`update wallet_past set lease_until = lease_until - interval '10 minutes'`.execute(database.db);
    await run();
    expect(queries.slice(before).find(isStuck)).toMatchObject({ from: 2_500n, blocks: 1n });
  });

  it('behavior: a response that is too long for a request holds only the past that it is about', async () => {
    refuse = (_, company) =>
      company.some(isStuck) ? new UpstreamFailure('rpc:base', 'HTTP status 413') : undefined;
    const few = honest.slice(0, 3);
    const run = await createJob([...few, stuck]);
    while ((await Promise.all(few.map(past))).some(({ nextBlock }) => nextBlock <= last)) await run();
    expect((await past(stuck)).nextBlock).toBe(2_500n);
    const before = queries.length;
    await run();
    expect(queries).toHaveLength(before);
  });

  it.each([
    ['throttles', failure(-32016, 'over rate limit')],
    ['lags', failure(-32000, 'header not found')],
  ])('behavior: a node that %s pauses all pasts, and holds none', async (_, error) => {
    refuse = () => error;
    const run = await createJob(honest);
    expect(await run()).toBeGreaterThan(0);
    const before = queries.length;
    await run();
    expect(queries).toHaveLength(before);
    const held = await sql`select wallet from wallet_past where lease_until > now()`.execute(database.db);
    expect(held.rows).toEqual([]);
  });
});
