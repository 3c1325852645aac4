import { setTimeout as pause } from 'node:timers/promises';
import { createActiveChains } from '@yield-vault/chains';
import { localContracts } from '@yield-vault/contracts';
import { startJobs, type DatabaseHandle } from '@yield-vault/database';
import { openTestDatabase } from '@yield-vault/database/testing';
import { vaultIdOf } from '@yield-vault/protocol';
import {
  buildRankedVault,
  startLogNode,
  testAccount,
  type LogNode,
  type LogQuery,
  type PaidOperation,
  type ShareMove,
} from '@yield-vault/testing';
import { zeroAddress, type Address } from 'viem';
import { buildChainConfig } from '../test/chain-config.js';
import { createDatabaseScanStore } from './adapters/database-scan-store.js';
import { createPositions, type PositionsOptions } from './create-positions.js';

const unit = 1_000_000n;
const wallet = testAccount('owner').address;
const other = testAccount('other').address;
const [vault, second] = [
  '0x3000000000000000000000000000000000000003',
  '0x4000000000000000000000000000000000000004',
] as const;
const ranked = (vaultAddress: Address) =>
  buildRankedVault({ vaultId: vaultIdOf(8453, vaultAddress), vaultAddress, shareDecimals: 6 });
const [ours, later] = [ranked(vault), ranked(second)];

const deposit = (block: bigint, shares: bigint, to: Address = wallet): ShareMove => ({
  block,
  vault,
  from: zeroAddress,
  to,
  shares,
});
const redeem = (block: bigint, shares: bigint): ShareMove => ({
  block,
  vault,
  from: wallet,
  to: zeroAddress,
  shares,
});

const { paymaster } = localContracts;
const operation = (block: bigint, taken: bigint, overrides: Partial<PaidOperation> = {}) => ({
  block,
  taken,
  sender: wallet,
  paymaster,
  ...overrides,
});

const finality = 100n;
const sizeOf = ({ from, to }: LogQuery) => to - from + 1n;
const isIncoming = ({ topics }: LogQuery) => topics[1] === null && topics.length === 3;
const isOutgoing = ({ topics }: LogQuery) => topics.length === 2 && typeof topics[1] === 'string';
const isOfPayments = ({ topics }: LogQuery) => topics.length === 2 && typeof topics[1] !== 'string';

describe('the past of a wallet', () => {
  let database: DatabaseHandle;
  let node: LogNode;
  const stops: (() => Promise<void>)[] = [];

  beforeAll(async () => {
    database = await openTestDatabase();
  });
  afterAll(() => database.close());
  beforeEach(async () => {
    node = await startLogNode({ head: 100_000n, finality, mostBlocks: 1_000_000n });
  });
  afterEach(async () => {
    while (stops.length > 0) await stops.pop()!();
    await node.stop();
    await database.db.deleteFrom('position_scan').execute();
  });

  /** One process: its positions, and its background reader. */
  const startProcess = (options: PositionsOptions = {}, vaults = [ours]) => {
    const config = {
      chains: { base: { ...buildChainConfig(node.rpcUrl), deadlines: { rpcMs: 5_000, bundlerMs: 1 } } },
    };
    const logs = createActiveChains(config, { retries: 0 });
    const positions = createPositions({
      chains: createActiveChains(config),
      logs,
      vaults: { list: () => vaults },
      store: createDatabaseScanStore(database),
      options: { base: { blocks: 1_000, requestsPerSecond: 10_000, ...options } },
    });
    const positionOf = async (signal?: AbortSignal) => (await positions.status(wallet, signal)).positions[0];
    const startReading = () => {
      const { stop } = startJobs(() => positions.jobs);
      stops.push(stop);
      return stop;
    };
    const untilExact = async () => {
      for (;;) {
        const position = await positionOf();
        if (position?.costBasis === 'exact') return position;
        await pause(20);
      }
    };
    return { ...positions, positionOf, startReading, untilExact };
  };
  const nextBlock = async () =>
    (await database.db.selectFrom('position_scan').select('next_block').execute())[0]!.next_block;
  /** Queries of blocks that are final: these are stored. */
  const ofPast = (queries: readonly LogQuery[]) =>
    queries.filter(({ from }) => from <= node.state.head - finality);
  const expectEachBlockOnce = (queries: readonly LogQuery[], first: bigint) => {
    const sorted = [...queries].sort((a, b) => Number(a.from - b.from));
    let next = first;
    for (const { from, to } of sorted) {
      expect(from).toBe(next);
      next = to + 1n;
    }
    expect(next).toBeGreaterThan(node.state.head - finality);
  };

  it('default: pending within ten queries, exact after the background has read each block once', async () => {
    node.state.moves = [
      deposit(50_500n, 100n * unit),
      deposit(80_000n, 50n * unit),
      redeem(90_000n, 30n * unit),
    ];
    const base = startProcess();
    expect(await base.positionOf()).toMatchObject({
      ...{ costBasis: 'pending', depositedAmount: '0', currentValue: '120' },
    });
    expect(node.logQueries().length).toBeLessThanOrEqual(10);
    base.startReading();
    expect(await base.untilExact()).toMatchObject({ depositedAmount: '120', currentValue: '120' });

    const past = ofPast(node.logQueries());
    expectEachBlockOnce(past.filter(isIncoming), 0n);
    // Nothing leaves a wallet that has received nothing.
    expectEachBlockOnce(past.filter(isOutgoing), 50_500n);
    expect(past.filter((query) => !isIncoming(query) && !isOutgoing(query))).toEqual([]);

    const before = node.requests;
    expect(await base.positionOf()).toMatchObject({ costBasis: 'exact' });
    expect(node.requests - before).toBeLessThanOrEqual(3);
  });

  it('behavior: an unknown wallet without shares costs one request and is not remembered', async () => {
    node.state.moves = [deposit(500n, 100n, other)];
    expect(await startProcess().positionOf()).toBeUndefined();
    expect(node.requests).toBe(1);
    expect(await database.db.selectFrom('position_scan').selectAll().execute()).toEqual([]);
  });

  it('behavior: requests at the same time share their log queries', async () => {
    node.state.moves = [deposit(500n, 100n * unit)];
    node.state.logDelayMs = 200;
    const base = startProcess();
    const shown = await Promise.all(Array.from({ length: 50 }, () => base.positionOf()));
    expect(new Set(shown.map((position) => position?.depositedAmount))).toEqual(new Set(['100']));
    expect(node.logQueries().length).toBeLessThanOrEqual(10);
  });

  it('behavior: a rate limit never shrinks a range', async () => {
    node.state.moves = [deposit(500n, 100n * unit)];
    const base = startProcess();
    await base.positionOf();
    base.startReading();
    node.state.requestsPerSecond = 30;
    while ((await nextBlock()) <= 99_900n) await pause(50);
    const incoming = ofPast(node.logQueries()).filter(isIncoming);
    expect(incoming.slice(0, -1).every((query) => sizeOf(query) === 1_000n)).toBe(true);
    node.state.requestsPerSecond = Infinity;
    expectEachBlockOnce(incoming, 0n);
  });

  it('behavior: a range that is too large shrinks, and the size is learnt', async () => {
    node.state.moves = [deposit(500n, 100n * unit)];
    node.state.mostBlocks = 700n;
    const base = startProcess();
    base.startReading();
    expect(await base.untilExact()).toMatchObject({ depositedAmount: '100' });
    const refused = node.logQueries().filter((query) => sizeOf(query) > 700n);
    expect(refused.length).toBeLessThan(40);
  });

  it('behavior: another process continues where one stopped', async () => {
    node.state.moves = [deposit(500n, 100n * unit)];
    node.state.operations = Array.from({ length: 20 }, (_, index) =>
      operation(500n + BigInt(index) * 4_500n, 10n ** BigInt(index % 6)),
    );
    node.state.logDelayMs = 5;
    const [before, after] = [startProcess(), startProcess()];
    await before.positionOf();
    const stop = before.startReading();
    while ((await nextBlock()) < 40_000n) await pause(5);
    await stop();
    after.startReading();
    expect(await after.untilExact()).toMatchObject({ depositedAmount: '100' });
    const past = ofPast(node.logQueries());
    expectEachBlockOnce(past.filter(isIncoming), 0n);
    const paid = node.state.operations.reduce((sum, { taken }) => sum + taken, 0n);
    expect((await after.status(wallet)).totalGasPaidUsd).toBe(Number(paid) / 1e6);
    const ranges = past.filter(isOfPayments).map(({ from }) => from);
    expect(new Set(ranges).size).toBe(ranges.length);
  });

  it('behavior: two processes never read a range twice', async () => {
    node.state.moves = [deposit(500n, 100n * unit), redeem(70_000n, 40n * unit)];
    node.state.logDelayMs = 5;
    const both = [startProcess(), startProcess()];
    await Promise.all(both.map((each) => each.positionOf()));
    for (const each of both) each.startReading();
    const shown = await Promise.all(both.map((each) => each.untilExact()));
    expect(shown.map(({ depositedAmount }) => depositedAmount)).toEqual(['60', '60']);
    expectEachBlockOnce(ofPast(node.logQueries()).filter(isIncoming), 0n);
  });

  it('behavior: a response does not wait for slow log queries', async () => {
    node.state.moves = [deposit(500n, 100n * unit)];
    node.state.logDelayMs = 4_000;
    // A response that waits for this one range finds everything.
    expect(await startProcess({ blocks: 1_000_000 }).positionOf()).toMatchObject({
      ...{ costBasis: 'pending', currentValue: '100' },
    });
  });

  it('behavior: failed log queries leave the position pending', async () => {
    node.state.moves = [deposit(500n, 100n * unit)];
    node.state.mostBlocks = 0n;
    expect(await startProcess().positionOf()).toMatchObject({ costBasis: 'pending', currentValue: '100' });
  });

  it('behavior: no further query is sent once the client left', async () => {
    node.state.moves = [deposit(500n, 100n * unit)];
    node.state.logDelayMs = 200;
    const client = new AbortController();
    const reading = startProcess().positionOf(client.signal);
    while (node.logQueries().length === 0) await pause(5);
    client.abort();
    await expect(reading).rejects.toThrow();
    // The window under way is kept: at most its outgoing events follow.
    while ((await nextBlock()) === 0n) await pause(20);
    await pause(300);
    expect(ofPast(node.logQueries()).filter(isIncoming).length).toBe(2);
  });

  it('behavior: blocks that are not final are read again and never stored', async () => {
    const base = startProcess({ blocks: 100_000 });
    const stored = async () => [
      (await database.db.selectFrom('position_movement').selectAll().execute()).length,
      (await database.db.selectFrom('gas_payment').selectAll().execute()).length,
    ];
    const expectRead = async (depositedAmount: string, totalGasPaidUsd: number) => {
      const { positions, totalGasPaidUsd: paid } = await base.status(wallet);
      expect(positions).toMatchObject([{ costBasis: 'exact', depositedAmount }]);
      expect(paid).toBe(totalGasPaidUsd);
    };
    node.state.moves = [deposit(99_950n, 100n * unit)];
    node.state.operations = [operation(99_950n, 300_000n)];
    await expectRead('100', 0.3);
    node.state.moves = [deposit(99_960n, 70n * unit)];
    node.state.operations = [operation(99_960n, 20_000n)];
    await expectRead('70', 0.02);
    expect(await stored()).toEqual([0, 0]);
    node.state.head += finality;
    await expectRead('70', 0.02);
    expect(await stored()).toEqual([1, 1]);
  });

  it('behavior: another chain is read from its start where chains may be replaced, and refused elsewhere', async () => {
    node.state.moves = [deposit(500n, 100n * unit)];
    node.state.operations = [operation(500n, 300_000n)];
    const [local, production] = [true, false].map((mayBeReplaced) =>
      startProcess({ blocks: 100_000, mayBeReplaced }),
    );
    expect(await local!.status(wallet)).toMatchObject({ totalGasPaidUsd: 0.3 });
    node.state.chain = 1;
    node.state.moves = [deposit(700n, 20n * unit)];
    node.state.operations = [operation(600n, 20_000n)];
    await expect(production!.positionOf()).rejects.toMatchObject({ details: { dependency: 'rpc:base' } });
    expect(await local!.positionOf()).toMatchObject({ costBasis: 'exact', depositedAmount: '20' });
    expect(await production!.status(wallet)).toMatchObject({
      totalGasPaidUsd: 0.02,
      positions: [{ depositedAmount: '20' }],
    });
  });

  it('behavior: a vault that is listed later and held is read from the start', async () => {
    const all = { blocks: 100_000 };
    node.state.moves = [deposit(500n, 100n * unit), { ...deposit(600n, 30n * unit), vault: second }];
    expect((await startProcess(all).status(wallet)).positions).toHaveLength(1);
    const { positions } = await startProcess(all, [ours, later]).status(wallet);
    expect(positions.map(({ depositedAmount }) => depositedAmount)).toEqual(['100', '30']);
  });

  it('behavior: a redeem that a spender sent for somebody else is a redeem', async () => {
    node.state.moves = [deposit(500n, 100n * unit), { ...redeem(600n, 40n * unit), spender: other }];
    await startProcess({ blocks: 100_000 }).positionOf();
    const kinds = await database.db.selectFrom('position_movement').select('kind').orderBy('block').execute();
    expect(kinds.map(({ kind }) => kind)).toEqual(['deposit', 'withdraw']);
  });

  describe('and its gas payments', () => {
    const stored = async () =>
      (await database.db.selectFrom('gas_payment').select('amount').orderBy('block').execute()).map((row) =>
        Number(row.amount),
      );

    it('default: pending covers what has been read, exact covers all, and only ranges with operations cost a query', async () => {
      node.state.moves = [deposit(500n, 100n * unit)];
      node.state.operations = [
        operation(500n, 300_000n),
        operation(50_100n, 20_000n),
        operation(50_200n, 4_000n),
        operation(99_950n, 1n),
      ];
      const base = startProcess();
      const gasPaid = async () => (await base.status(wallet)).totalGasPaidUsd;
      expect(await gasPaid()).toBe(0.3);
      expect(node.logQueries().length).toBeLessThanOrEqual(10);
      base.startReading();
      await base.untilExact();
      expect(await gasPaid()).toBe(0.324001);
      const ranges = node.logQueries().filter((query) => isOfPayments(query) && query.from < 99_000n);
      expect(ranges.map(({ from }) => from)).toEqual([0n, 50_000n]);
      expect(await stored()).toEqual([300_000, 20_000, 4_000]);
    });

    it('behavior: a status has three requests, and a fourth while an operation is not final', async () => {
      node.state.moves = [deposit(500n, 100n * unit)];
      node.state.operations = [operation(500n, 300_000n)];
      const base = startProcess({ blocks: 100_000 });
      const requests = async () => {
        const before = node.requests;
        await base.positionOf();
        return node.requests - before;
      };
      await requests();
      expect(await requests()).toBe(3);
      node.state.operations.push(operation(99_950n, 1n));
      expect(await requests()).toBe(4);
    });

    it('behavior: operations of other wallets, of other paymasters and paid in ether do not count', async () => {
      node.state.moves = [deposit(500n, 100n * unit)];
      node.state.operations = [
        operation(500n, 1n, { sender: other }),
        operation(500n, 20n),
        operation(500n, 300n, { paymaster: other }),
        operation(500n, 4_000n, { paymaster: zeroAddress }),
      ];
      const base = startProcess({ blocks: 100_000 });
      expect((await base.status(wallet)).totalGasPaidUsd).toBe(0.00002);
    });

    it('behavior: a wallet that redeemed everything shows its gas, also when it was never seen before', async () => {
      node.state.moves = [deposit(500n, 100n * unit), redeem(700n, 100n * unit)];
      node.state.operations = [operation(500n, 300_000n), operation(700n, 20_000n)];
      const base = startProcess({ blocks: 100_000 });
      expect(await base.status(wallet)).toMatchObject({ positions: [], totalGasPaidUsd: 0.32 });
    });

    it('behavior: a failed query of payments leaves the position pending and loses nothing', async () => {
      node.state.moves = [deposit(500n, 100n * unit)];
      node.state.operations = [operation(500n, 300_000n), operation(99_000n, 20_000n)];
      // Two requests of the first status succeed: the head, and the incoming events.
      node.state.requestsPerSecond = 2;
      const base = startProcess({ blocks: 100_000 });
      const { positions } = await base.status(wallet).catch(() => ({ positions: undefined }));
      expect(positions?.[0]?.costBasis).not.toBe('exact');
      node.state.requestsPerSecond = Infinity;
      base.startReading();
      await base.untilExact();
      expect((await base.status(wallet)).totalGasPaidUsd).toBe(0.32);
    });

    it('behavior: more operations in a range than one filter names', async () => {
      node.state.moves = [deposit(500n, 100n * unit)];
      node.state.operations = Array.from({ length: 1_001 }, (_, index) =>
        operation(500n, 10n, { sender: index === 1_000 ? other : wallet }),
      );
      node.state.operations.push(operation(501n, 10n));
      const base = startProcess({ blocks: 100_000 });
      base.startReading();
      await base.untilExact();
      expect((await base.status(wallet)).totalGasPaidUsd).toBe(0.01001);
    });
  });

  it('behavior: a price of received shares is read once', async () => {
    node.state.moves = [{ ...deposit(500n, 100n * unit), from: other }];
    const base = startProcess({ blocks: 100_000 });
    const historic = () =>
      node.calls.filter(({ method, params }) => method === 'eth_call' && params[1] === '0x1f4').length;
    expect(await base.positionOf()).toMatchObject({ depositedAmount: '100' });
    expect(await base.positionOf()).toMatchObject({ depositedAmount: '100' });
    expect(historic()).toBe(1);
  });

  it('behavior: one budget for all wallets', async () => {
    const wallets = Array.from({ length: 6 }, (_, index) => testAccount(`wallet ${index}`).address);
    node.state.moves = wallets.map((to) => deposit(99_000n, unit, to));
    const base = startProcess({ requestsPerSecond: 40, concurrency: 2 });
    await Promise.all(wallets.map((each) => base.status(each)));
    const before = node.logQueries().length;
    const startedAt = Date.now();
    const stop = base.startReading();
    await pause(1_000);
    await stop();
    const perSecond = ((node.logQueries().length - before) * 1_000) / (Date.now() - startedAt);
    expect(perSecond).toBeLessThan(45);
  });

  it('behavior: progress without the lease is not stored', async () => {
    const store = createDatabaseScanStore(database);
    const key = { chainId: 8453, wallet };
    const target = { number: 100n, hash: '0xaa' } as const;
    await store.begin({ ...key, vaults: [vault], nextBlock: 0n, target, firstBlock: undefined });
    const progress = { nextBlock: 50n, target, firstBlock: undefined, movements: [], payments: [] };
    expect(await store.claim(key, 'one', 0)).toMatchObject({ nextBlock: 0n, vaults: [vault] });
    expect(await store.claim(key, 'two', 60)).toMatchObject({ nextBlock: 0n });
    expect(await store.claim(key, 'three', 60)).toBeUndefined();
    expect(await store.save(key, 'one', { ...progress, nextBlock: 70n })).toBe(false);
    expect(await store.save(key, 'two', progress)).toBe(true);
    expect(await store.find(key)).toMatchObject({ nextBlock: 50n });
    expect(await store.unfinished(8453, 5)).toHaveLength(1);
  });
});
