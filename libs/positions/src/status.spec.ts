import { storeChainEvents, type DatabaseHandle } from '@yield-vault/database';
import { openTestDatabase } from '@yield-vault/database/testing';
import { startLogNode, testAccount, type LogNode } from '@yield-vault/testing';
import { sql } from 'kysely';
import type { Address } from 'viem';
import {
  chainId,
  deposit,
  follow,
  moveFollowed,
  other,
  redeem,
  second,
  startService,
  unit,
  vault,
  wallet,
} from '../test/start-service.js';
import type { CostsPort } from './ports.js';

const first = 90_001n;

describe('status from stored events', () => {
  let database: DatabaseHandle;
  let node: LogNode;
  const pasts = () => database.db.selectFrom('wallet_past').selectAll().orderBy('wallet').execute();
  const methods = () => [...new Set(node.calls.map(({ method }) => method))].sort();

  beforeAll(async () => {
    database = await openTestDatabase();
  });
  afterAll(() => database.close());
  beforeEach(async () => {
    node = await startLogNode({ head: 100_000n });
    await follow(database, vault, first);
  });
  afterEach(async () => {
    await node.stop();
    for (const table of ['followed_contract', 'share_movement', 'user_operation', 'wallet_past'] as const)
      await database.db.deleteFrom(table).execute();
  });

  it('default: exact from a zero balance, in two requests and without a log query', async () => {
    for (let block = first; block < first + 1_000n; block += 10n)
      await moveFollowed(database, node, deposit(block, unit));
    await moveFollowed(database, node, redeem(95_000n, 40n * unit));
    expect(await startService(database, node).positionOf()).toMatchObject({
      costBasis: 'exact',
      depositedAmount: '60',
      currentValue: '60',
    });
    expect(node.requests).toBe(2);
    expect(methods()).toEqual(['eth_call', 'eth_getBlockByNumber', 'eth_getCode']);
    expect(await pasts()).toEqual([]);
  });

  it('behavior: a wallet that holds nothing costs one request and is not remembered', async () => {
    await moveFollowed(database, node, deposit(95_000n, unit, other));
    expect(await startService(database, node).positionOf()).toBeUndefined();
    expect(node.requests).toBe(1);
    expect(await pasts()).toEqual([]);
  });

  it('behavior: fifty wallets in few requests, each once, in their order', async () => {
    const wallets = Array.from({ length: 49 }, (_, index) => testAccount(`wallet ${index}`).address);
    for (const [index, to] of wallets.entries())
      await moveFollowed(database, node, deposit(first, BigInt(index + 1) * unit, to));
    const asked = [...wallets, wallets[7]!];
    const service = startService(database, node);
    const statuses = await service.statusBatch(asked);
    expect(statuses.map(({ userAddress }) => userAddress)).toEqual(asked);
    const held = statuses.map(({ positions }) => positions[0]?.depositedAmount);
    expect(held).toEqual([...wallets.map((_, index) => String(index + 1)), '8']);
    // Two for each group of ten.
    expect(node.requests).toBe(10);
  });

  it('behavior: a batch ends when its caller leaves', async () => {
    const wallets = Array.from({ length: 50 }, (_, index) => testAccount(`wallet ${index}`).address);
    const left = new AbortController();
    const reach = () => {
      left.abort();
      return Promise.resolve(true);
    };
    const batch = startService(database, node, { follower: { reach } }).statusBatch(wallets, left);
    await expect(batch).rejects.toThrow(/abort/);
    expect(node.requests).toBe(1);
  });

  it('behavior: the price of leaving is read once, and a paymaster that is down or slow fails nothing', async () => {
    await moveFollowed(database, node, deposit(first, unit));
    let costs: CostsPort = jest.fn(() => Promise.resolve(() => ({ redeemGasUsd: 0.06 })));
    const exitOf = async (service: ReturnType<typeof startService>) =>
      (await service.status(wallet)).wallets['base']!.exitGasUsd;
    const service = startService(database, node, { costs });
    expect([await exitOf(service), await exitOf(service)]).toEqual([0.06, 0.06]);
    expect(costs).toHaveBeenCalledTimes(1);
    const hung: CostsPort = () => new Promise(() => undefined);
    for (costs of [() => Promise.reject(new Error('down')), hung])
      expect(await exitOf(startService(database, node, { costs }))).toBeNull();
  });

  it('behavior: pending while the follower is late, with the events that are stored', async () => {
    await moveFollowed(database, node, deposit(95_000n, 60n * unit));
    node.state.moves.push(deposit(100_000n, 40n * unit));
    const reach = jest.fn(() => Promise.resolve(false));
    expect(await startService(database, node, { follower: { reach } }).positionOf()).toMatchObject({
      costBasis: 'pending',
      depositedAmount: '60',
      currentValue: '100',
    });
    expect(reach).toHaveBeenCalledWith(chainId, 100_000n, 2_000, undefined);
    expect(await pasts()).toEqual([]);
  });

  it('behavior: events behind the pinned block do not count yet', async () => {
    await moveFollowed(database, node, deposit(95_000n, 60n * unit));
    await moveFollowed(database, node, deposit(100_001n, 40n * unit));
    expect(await startService(database, node).positionOf()).toMatchObject({
      costBasis: 'exact',
      depositedAmount: '60',
    });
  });

  it('behavior: a held vault that is not followed yet is pending, and others are not', async () => {
    await moveFollowed(database, node, deposit(95_000n, 60n * unit));
    node.state.moves.push({ ...deposit(95_000n, 20n * unit), vault: second });
    const { positions } = await startService(database, node, { vaults: [vault, second] }).status(wallet);
    expect(positions.map(({ costBasis, depositedAmount }) => [costBasis, depositedAmount])).toEqual([
      ['exact', '60'],
      ['pending', '0'],
    ]);
    expect(await pasts()).toEqual([]);
  });

  it('behavior: shares held before the follower begin a past, once', async () => {
    node.state.moves.push(deposit(500n, 100n * unit));
    await moveFollowed(database, node, redeem(95_000n, 30n * unit));
    await moveFollowed(database, node, deposit(96_000n, 20n * unit));
    const service = startService(database, node, { logsFromBlock: 400n });
    for (const client of ['one', 'two'])
      expect(await service.status(wallet, { client })).toMatchObject({
        totalYieldEarned: 0,
        positions: [{ costBasis: 'pending', depositedAmount: '20', currentValue: '90' }],
      });
    expect(await pasts()).toMatchObject([
      { vaults: [vault], next_block: 400n, last_block: first - 1n, client: 'one' },
    ]);
    expect(methods()).not.toContain('eth_getLogs');
  });

  it('behavior: a wallet that has sold what it held before still needs its past', async () => {
    node.state.moves.push(deposit(500n, 100n * unit));
    await moveFollowed(database, node, redeem(95_000n, 100n * unit));
    expect(await startService(database, node).positionOf()).toBeUndefined();
    expect(await pasts()).toHaveLength(1);
  });

  it('behavior: a client has ten unfinished pasts, and the others wait', async () => {
    const wallets = Array.from({ length: 12 }, (_, index) => testAccount(`wallet ${index}`).address);
    node.state.moves = wallets.map((to) => deposit(500n, unit, to));
    const { status } = startService(database, node);
    const ask = (of: Address, client?: string) => status(of, client === undefined ? {} : { client });
    const shown = await Promise.all(wallets.map((each) => ask(each, 'one')));
    expect(new Set(shown.map(({ positions }) => positions[0]?.costBasis))).toEqual(new Set(['pending']));
    const begun = await pasts();
    expect(begun).toHaveLength(10);

    await database.db
      .updateTable('wallet_past')
      .set({ next_block: first })
      .where('wallet', '=', begun[0]!.wallet)
      .execute();
    const refused = wallets.filter((each) => begun.every((past) => past.wallet !== each.toLowerCase()));
    for (const each of refused) await ask(each, 'one');
    expect(await pasts()).toHaveLength(11);
    for (const each of refused) await ask(each, 'two');
    expect(await pasts()).toHaveLength(12);
  });

  it('behavior: without a client there is no limit', async () => {
    const wallets = Array.from({ length: 11 }, (_, index) => testAccount(`wallet ${index}`).address);
    node.state.moves = wallets.map((to) => deposit(500n, unit, to));
    const { status } = startService(database, node);
    await Promise.all(wallets.map((each) => status(each)));
    expect(await pasts()).toHaveLength(11);
  });

  it('behavior: gas of the wallet alone, up to the pinned block, also when it holds nothing', async () => {
    const gas: [Address, bigint, bigint | undefined][] = [
      [wallet, 95_000n, 300_000n],
      [wallet, 100_000n, 20_000n],
      [wallet, 100_001n, 1n],
      [wallet, 95_001n, undefined],
      [other, 95_002n, 5n],
    ];
    const operations = gas.map(([sender, blockNumber, gasUsdc], index) => ({
      wallet: sender.toLowerCase() as Address,
      ...({ nonce: BigInt(index), userOpHash: `0x${index}`, txHash: '0xaa' } as const),
      blockNumber,
      logIndex: 0,
      gasUsdc,
    }));
    await storeChainEvents(database.db, chainId, { movements: [], operations });
    expect(await startService(database, node).status(wallet)).toMatchObject({
      positions: [],
      totalGasPaidUsd: 0.32,
    });
  });

  it('behavior: a price of received shares is kept once its block is settled', async () => {
    await moveFollowed(database, node, { ...deposit(100_000n, 100n * unit), from: other });
    const service = startService(database, node);
    const historic = () =>
      node.calls.filter(({ method, params }) => method === 'eth_call' && params[1] === '0x186a0').length;
    const stored = async () =>
      (
        await database.db.selectFrom('share_movement').selectAll().where('kind', '=', 'transfer-in').execute()
      )[0]!.assets;
    for (const [head, assets] of [
      [100_063n, null],
      [100_064n, '100000000'],
      [100_065n, '100000000'],
    ] as const) {
      node.state.head = head;
      expect(await service.positionOf()).toMatchObject({ costBasis: 'exact', depositedAmount: '100' });
      expect(await stored()).toBe(assets);
    }
    expect(historic()).toBe(2);
  });

  it('behavior: pending with its value above 20,000 movements', async () => {
    node.state.moves.push(deposit(first, 30_000n * unit));
    await sql`
      insert into share_movement
      select ${chainId}, ${wallet.toLowerCase()}, ${first}::bigint + n / 3, n, ${vault}, 'deposit', ${unit}::numeric, ${unit}::numeric
      from generate_series(0, 29999) n`.execute(database.db);
    const service = startService(database, node);
    // Three in each block: 10,000.
    const shown = { costBasis: 'exact', depositedAmount: '30000', currentValue: '30000' };
    expect(await service.positionOf()).toMatchObject(shown);
    await sql`update share_movement set block = ${first}::bigint + log_index % 20001`.execute(database.db);
    node.state.head = 120_000n;
    expect(await service.positionOf()).toMatchObject({
      ...shown,
      costBasis: 'pending',
      depositedAmount: '0',
    });
    expect(await pasts()).toEqual([]);
  });

  it('error: nothing more is read once the client left', async () => {
    await moveFollowed(database, node, deposit(95_000n, 60n * unit));
    const left = new AbortController();
    const reach = () => {
      left.abort();
      return Promise.resolve(true);
    };
    const service = startService(database, node, { follower: { reach } });
    await expect(service.status(wallet, { signal: left.signal })).rejects.toThrow(/abort/);
    expect(node.requests).toBe(1);
  });
});
