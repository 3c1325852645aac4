import { setTimeout as pause } from 'node:timers/promises';
import { localContracts } from '@yield-vault/contracts';
import type { DatabaseHandle } from '@yield-vault/database';
import { openTestDatabase } from '@yield-vault/database/testing';
import {
  startLogNode,
  testAccount,
  type LogNode,
  type LogQuery,
  type PaidOperation,
} from '@yield-vault/testing';
import type { WalletMovement } from '@yield-vault/smart-account';
import { zeroAddress, type Address } from 'viem';
import {
  chainId,
  deposit,
  follow,
  moveFollowed,
  other,
  redeem,
  second,
  startService as start,
  unit,
  vault,
  wallet,
} from '../test/start-service.js';
import { beginPast, claimPasts, findPast, savePast } from './stored-pasts.js';

const { paymaster } = localContracts(chainId);
const operation = (block: bigint, taken: bigint, overrides: Partial<PaidOperation> = {}) => ({
  block,
  taken,
  sender: wallet,
  paymaster,
  ...overrides,
});

// The follower began after this block.
const last = 99_899n;
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
    node = await startLogNode({ head: 100_000n, mostBlocks: 1_000_000n });
    await follow(database, vault, last + 1n);
  });
  afterEach(async () => {
    while (stops.length > 0) await stops.pop()!();
    await node.stop();
    for (const table of ['followed_contract', 'share_movement', 'user_operation', 'wallet_past'] as const)
      await database.db.deleteFrom(table).execute();
  });

  const startService = (options: Parameters<typeof start>[2] = {}) => {
    const service = start(database, node, options);
    const startReading = () => {
      const stop = service.startReading();
      stops.push(stop);
      return stop;
    };
    return { ...service, startReading };
  };
  const nextBlock = async (of: Address = wallet) =>
    (await findPast(database.db, { chainId, wallet: of }))!.nextBlock;
  const kinds = async () =>
    (await database.db.selectFrom('share_movement').select('kind').orderBy('block').execute()).map(
      ({ kind }) => kind,
    );
  const expectEachBlockOnce = (queries: readonly LogQuery[], first: bigint) => {
    let next = first;
    for (const { from, to } of [...queries].sort((a, b) => Number(a.from - b.from))) {
      expect(from).toBe(next);
      next = to + 1n;
    }
    expect(next).toBe(last + 1n);
  };

  it('default: pending until each block before the follower was read once, exact afterwards', async () => {
    node.state.moves = [
      deposit(50_500n, 100n * unit),
      deposit(80_000n, 50n * unit),
      redeem(90_000n, 30n * unit),
    ];
    await moveFollowed(database, node, deposit(99_950n, 7n * unit));
    const base = startService();
    expect(await base.positionOf()).toMatchObject({
      costBasis: 'pending',
      depositedAmount: '7',
      currentValue: '127',
    });
    const stop = base.startReading();
    expect(await base.untilExact()).toMatchObject({ depositedAmount: '127', currentValue: '127' });
    await stop();

    const queries = node.logQueries();
    expectEachBlockOnce(queries.filter(isIncoming), 0n);
    // Nothing leaves a wallet that has received nothing.
    expectEachBlockOnce(queries.filter(isOutgoing), 50_500n);
    expect(queries.filter((query) => !isIncoming(query) && !isOutgoing(query))).toEqual([]);

    const before = node.requests;
    await moveFollowed(database, node, deposit(99_960n, unit));
    expect(await base.positionOf()).toMatchObject({ costBasis: 'exact', depositedAmount: '128' });
    expect(node.requests - before).toBe(2);
  });

  it('behavior: what the past finds counts only when all of it is read', async () => {
    node.state.moves = [deposit(500n, 100n * unit)];
    // Its cost, and what happened to the shares in between, is unknown until then.
    await moveFollowed(database, node, redeem(99_950n, 60n * unit));
    node.state.logDelayMs = 5;
    const base = startService();
    const status = async () => {
      const { positions, totalYieldEarned } = await base.status(wallet);
      return [positions[0]?.costBasis, positions[0]?.depositedAmount, totalYieldEarned];
    };
    await status();
    base.startReading();
    while ((await nextBlock()) < 10_000n) await pause(5);
    expect(await kinds()).toEqual(['deposit', 'withdraw']);
    expect(await status()).toEqual(['pending', '0', 0]);
    expect(await base.untilExact()).toMatchObject({ depositedAmount: '40' });
  });

  it('behavior: a rate limit never shrinks a range', async () => {
    node.state.moves = [deposit(500n, 100n * unit)];
    const base = startService();
    await base.positionOf();
    node.state.requestsPerSecond = 20;
    base.startReading();
    while ((await nextBlock()) <= last) await pause(50);
    const incoming = node.logQueries().filter(isIncoming);
    expect(incoming.slice(0, -1).every((query) => sizeOf(query) === 1_000n)).toBe(true);
    expectEachBlockOnce(incoming, 0n);
  });

  it('behavior: a range that is too large shrinks, and the size is learnt', async () => {
    node.state.moves = [deposit(500n, 100n * unit)];
    node.state.mostBlocks = 700n;
    const base = startService();
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
    const [before, after] = [startService(), startService()];
    await before.positionOf();
    const stop = before.startReading();
    while ((await nextBlock()) < 40_000n) await pause(5);
    await stop();
    after.startReading();
    expect(await after.untilExact()).toMatchObject({ depositedAmount: '100' });
    expectEachBlockOnce(node.logQueries().filter(isIncoming), 0n);
    const paid = node.state.operations.reduce((sum, { taken }) => sum + taken, 0n);
    expect((await after.status(wallet)).totalGasPaidUsd).toBe(Number(paid) / 1e6);
    const ranges = node
      .logQueries()
      .filter(isOfPayments)
      .map(({ from }) => from);
    expect(new Set(ranges).size).toBe(ranges.length);
  });

  it('behavior: two processes never read a range twice', async () => {
    node.state.moves = [deposit(500n, 100n * unit), redeem(70_000n, 40n * unit)];
    node.state.logDelayMs = 5;
    const both = [startService(), startService()];
    await Promise.all(both.map((each) => each.positionOf()));
    for (const each of both) each.startReading();
    const shown = await Promise.all(both.map((each) => each.untilExact()));
    expect(shown.map(({ depositedAmount }) => depositedAmount)).toEqual(['60', '60']);
    expectEachBlockOnce(node.logQueries().filter(isIncoming), 0n);
  });

  it('behavior: failed log queries leave the position pending', async () => {
    node.state.moves = [deposit(500n, 100n * unit)];
    node.state.mostBlocks = 0n;
    const base = startService();
    await base.positionOf();
    base.startReading();
    while (node.logQueries().length < 10) await pause(5);
    expect(await base.positionOf()).toMatchObject({ costBasis: 'pending', currentValue: '100' });
    expect(await nextBlock()).toBe(0n);
  });

  it('behavior: a vault that needs its past later is read alone, and the others stay exact', async () => {
    node.state.moves = [
      { ...deposit(300n, 30n * unit), vault: second },
      deposit(500n, 100n * unit),
      { ...redeem(700n, 10n * unit), vault: second },
    ];
    const before = startService();
    before.startReading();
    await before.untilExact();
    await follow(database, second, last + 51n);
    const after = startService({ vaults: [vault, second] });
    const shown = async () =>
      (await after.status(wallet)).positions.map(({ depositedAmount, costBasis }) => [
        depositedAmount,
        costBasis,
      ]);
    for (let each = 0; each < 2; each += 1)
      expect(await shown()).toEqual([
        ['100', 'exact'],
        ['0', 'pending'],
      ]);
    expect(await findPast(database.db, { chainId, wallet })).toMatchObject({
      vaults: [second],
      doneVaults: [vault],
      lastBlock: last + 50n,
    });
    after.startReading();
    while ((await shown()).some(([, costBasis]) => costBasis === 'pending')) await pause(20);
    expect(await shown()).toEqual([
      ['100', 'exact'],
      ['20', 'exact'],
    ]);
    expect(await findPast(database.db, { chainId, wallet })).toMatchObject({
      vaults: [],
      doneVaults: [vault, second],
    });
  });

  it('behavior: a redeem that a spender sent for somebody else is a redeem', async () => {
    node.state.moves = [deposit(500n, 100n * unit), { ...redeem(600n, 40n * unit), spender: other }];
    const base = startService({ blocks: 100_000 });
    base.startReading();
    await base.untilExact();
    expect(await kinds()).toEqual(['deposit', 'withdraw']);
  });

  it('behavior: events of contracts that are no vaults of the past do not count', async () => {
    node.state.moves = [deposit(500n, 100n * unit), { ...deposit(600n, unit), vault: second }];
    const base = startService({ blocks: 100_000 });
    base.startReading();
    await base.untilExact();
    expect(await kinds()).toEqual(['deposit']);
  });

  describe('and its gas payments', () => {
    const gasOf = async (
      operations: PaidOperation[],
      options: Parameters<typeof start>[2] = { blocks: 100_000 },
    ) => {
      node.state.moves = [deposit(500n, 100n * unit)];
      node.state.operations = operations;
      const base = startService(options);
      base.startReading();
      await base.untilExact();
      return (await base.status(wallet)).totalGasPaidUsd;
    };

    it('default: only ranges with operations cost a query', async () => {
      const operations = [operation(500n, 300_000n), operation(50_100n, 20_000n), operation(50_200n, 4_000n)];
      expect(await gasOf(operations, {})).toBe(0.324);
      const ranges = node.logQueries().filter(isOfPayments);
      expect(ranges.map(({ from }) => from)).toEqual([0n, 50_000n]);
    });

    it('behavior: operations of other wallets, of other paymasters and paid in ether do not count', async () => {
      const operations = [
        operation(500n, 1n, { sender: other }),
        operation(500n, 20n),
        operation(500n, 300n, { paymaster: other }),
        operation(500n, 4_000n, { paymaster: zeroAddress }),
      ];
      expect(await gasOf(operations)).toBe(0.00002);
    });

    it('behavior: a failed query of payments loses nothing', async () => {
      node.state.moves = [deposit(500n, 100n * unit)];
      node.state.operations = [operation(500n, 300_000n), operation(99_000n, 20_000n)];
      const base = startService({ blocks: 100_000 });
      await base.positionOf();
      const before = node.requests;
      // Incoming and outgoing events arrive; the payments are refused.
      node.state.requestsPerSecond = 2;
      base.startReading();
      while (node.requests - before < 3) await pause(5);
      expect(await kinds()).toEqual([]);
      node.state.requestsPerSecond = Infinity;
      await base.untilExact();
      expect((await base.status(wallet)).totalGasPaidUsd).toBe(0.32);
    });

    it('behavior: more operations in a range than one filter names', async () => {
      const operations = Array.from({ length: 1_001 }, (_, index) =>
        operation(500n, 10n, { sender: index === 1_000 ? other : wallet }),
      );
      expect(await gasOf([...operations, operation(501n, 10n)])).toBe(0.01001);
    });
  });

  describe('beside the pasts of others', () => {
    const wallets = Array.from({ length: 6 }, (_, index) => testAccount(`wallet ${index}`).address);

    it('behavior: one budget for all', async () => {
      node.state.moves = wallets.map((to) => deposit(99_000n, unit, to));
      const base = startService({ requestsPerSecond: 40, concurrency: 2 });
      await Promise.all(wallets.map((each) => base.status(each)));
      const before = node.logQueries().length;
      const startedAt = Date.now();
      const stop = base.startReading();
      await pause(1_000);
      await stop();
      const perSecond = ((node.logQueries().length - before) * 1_000) / (Date.now() - startedAt);
      expect(perSecond).toBeLessThan(45);
    });

    it('behavior: a long past does not hold up a short one', async () => {
      node.state.moves = [deposit(500n, unit), deposit(500n, unit, other)];
      node.state.logDelayMs = 5;
      const base = startService({ concurrency: 1 });
      await base.positionOf(other);
      await database.db
        .updateTable('wallet_past')
        .set({ next_block: last - 4_000n })
        .execute();
      await beginPast(
        database.db,
        { chainId, wallet, vaults: [vault], nextBlock: 0n, lastBlock: last },
        undefined,
      );
      base.startReading();
      while ((await nextBlock(other)) <= last) await pause(5);
      expect(await nextBlock()).toBeGreaterThan(0n);
      expect(await nextBlock()).toBeLessThan(20_000n);
    });
  });

  it('behavior: progress without the lease is not stored, and a restart takes the lease away', async () => {
    const { db } = database;
    const key = { chainId, wallet };
    const begin = (vaults: readonly Address[]) =>
      beginPast(db, { ...key, vaults, nextBlock: 0n, lastBlock: 100n }, undefined);
    const claim = (owner: string, seconds = 60) => claimPasts(db, chainId, owner, 5, seconds);
    const movement: WalletMovement = {
      wallet,
      vault,
      kind: 'deposit',
      shares: 1n,
      assets: 1n,
      blockNumber: 1n,
      logIndex: 0,
    };
    const save = async (owner: string, next: bigint) => {
      const past = { ...(await findPast(db, key))!, nextBlock: next };
      await savePast(db, owner, past, { movements: [movement], operations: [] });
      return [await nextBlock(), (await kinds()).length];
    };
    await begin([vault]);
    expect(await claim('one', 0)).toMatchObject([{ nextBlock: 0n, vaults: [vault] }]);
    expect(await claim('two')).toHaveLength(1);
    expect(await claim('three')).toEqual([]);
    expect(await save('one', 70n)).toEqual([0n, 0]);
    await begin([vault]);
    await begin([second]);
    expect(await save('two', 70n)).toEqual([0n, 0]);
    expect(await claim('four')).toMatchObject([
      { vaults: expect.arrayContaining([vault, second]) as unknown },
    ]);
    expect(await save('four', 50n)).toEqual([50n, 1]);
    expect(await claim('five')).toHaveLength(1);
    expect(await save('five', 101n)).toEqual([101n, 1]);
    await begin([vault]);
    expect(await claim('six')).toEqual([]);
  });
});
