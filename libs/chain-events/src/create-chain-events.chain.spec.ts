import { setTimeout as sleep } from 'node:timers/promises';
import { startJobs, type DatabaseHandle, type RunningJobs } from '@yield-vault/database';
import { openTestDatabase } from '@yield-vault/database/testing';
import { walletContracts } from '@yield-vault/contracts';
import { nonceKey } from '@yield-vault/smart-account';
import { testAccount, type RpcProxyCall } from '@yield-vault/testing';
import { request } from '@yield-vault/testing/local';
import { numberToHex, zeroAddress, type Address, type Hex } from 'viem';
import { chainId, lateVault, startLogChain, vault, type LogChain } from '../test/start-log-chain.js';
import { createChainEvents, type ChainEvents } from './create-chain-events.js';
import type { FollowOptions } from './create-follower.js';

const [owner, other] = ['owner', 'other'].map((name) => testAccount(name).address) as [Address, Address];
const hashOf = (digits: string): Hex => `0x${digits.repeat(32)}`;
const nonceOf = (sequence: bigint) => (nonceKey(walletContracts.validator) << 64n) + sequence;

describe('chain events', () => {
  let local: LogChain;
  let database: DatabaseHandle;
  const running: RunningJobs[] = [];
  const removals: (() => void)[] = [];

  beforeAll(async () => {
    local = await startLogChain();
  });
  afterAll(() => local.stop());
  beforeEach(async () => {
    database = await openTestDatabase();
  });
  afterEach(async () => {
    for (const remove of removals.splice(0)) remove();
    await Promise.all(running.splice(0).map((jobs) => jobs.stop()));
    await database.close();
  });

  /** Follow a chain from its newest block on. */
  async function follow(
    { chain, vaults = [vault!], ...options }: FollowOptions & { chain?: LogChain; vaults?: Address[] } = {},
    isStarted = true,
  ): Promise<{ events: ChainEvents; failures: string[]; stop: () => Promise<void> }> {
    const { chain: followed, node } = chain ?? local;
    const failures: string[] = [];
    const events = createChainEvents({
      chains: { all: [followed] },
      database,
      vaults: { addresses: () => vaults },
      options: { base: options },
    });
    const logger = {
      info: () => undefined,
      warn: ({ err }: { err?: Error }) => err && failures.push(err.message),
      error: () => undefined,
    };
    const jobs = startJobs(() => events.jobs, { logger });
    running.push(jobs);
    if (isStarted) expect(await reach(events, await node.getBlockNumber())).toBe(true);
    return { events, failures, stop: () => jobs.stop() };
  }

  async function reach(events: ChainEvents, block: bigint): Promise<boolean> {
    // Before the first block nobody follows the chain.
    for (let tries = 0; tries < 100; tries++) {
      if (await events.reach(chainId, block, 5_000)) return true;
      await sleep(50);
    }
    return false;
  }
  const reachHead = async (events: ChainEvents, { node } = local) =>
    reach(events, await node.getBlockNumber());

  const movements = async () => {
    const rows = await database.db.selectFrom('share_movement').selectAll().orderBy('block').execute();
    return rows.map(
      ({ wallet, kind, shares }) => `${wallet === owner.toLowerCase() ? 'owner' : 'other'} ${kind} ${shares}`,
    );
  };
  const hook = (take: Parameters<LogChain['proxy']['addHook']>[0]) => {
    removals.push(local.proxy.addHook(take));
  };
  const respond = (calls: readonly RpcProxyCall[], body: (id: number) => object) => {
    const each = calls.map((call) => ({ jsonrpc: '2.0', ...body((call as unknown as { id: number }).id) }));
    return Promise.resolve({ status: 200, text: JSON.stringify(each.length === 1 ? each[0] : each) });
  };

  it('default: stores what moves in the followed vaults, of every wallet, from its first block on', async () => {
    await local.transfer(zeroAddress, owner, 1n);
    const { events } = await follow();
    await local.transfer(zeroAddress, owner, 100n);
    await local.transfer(owner, other, 40n);
    await local.transfer(zeroAddress, owner, 7n, lateVault);
    await reachHead(events);
    expect(await movements()).toEqual([
      'owner transfer-in 100',
      'owner transfer-out 40',
      'other transfer-in 40',
    ]);
    expect(await events.newestBlock(chainId)).toBe(await local.node.getBlockNumber());
  });

  it('behavior: an operation wakes who waits for it, and is found by who comes later', async () => {
    const { events } = await follow();
    const awaited = {
      chainId,
      sender: owner,
      nonce: nonceOf(1n),
      userOpHash: hashOf('11'),
      after: 1_000_000n,
    };
    const wait = (wanted = awaited) => events.waitForOperation(wanted, 5_000);
    const early = wait();
    const txHash = await local.operate(owner, 1n, hashOf('11'));
    await expect(early).resolves.toEqual({ kind: 'included', txHash });
    await expect(wait()).resolves.toEqual({ kind: 'included', txHash });
    await expect(wait({ ...awaited, userOpHash: hashOf('12') })).resolves.toEqual({ kind: 'unclear' });
    await expect(events.waitForOperation({ ...awaited, nonce: nonceOf(2n) }, 200)).resolves.toEqual({
      kind: 'unseen',
    });
  });

  it('behavior: a vault that is listed later is followed from then on', async () => {
    const vaults = [vault!];
    const { events } = await follow({ vaults });
    vaults.push(lateVault!);
    await local.node.mine({ blocks: 1 });
    await reachHead(events);
    await local.transfer(zeroAddress, owner, 9n, lateVault);
    await reachHead(events);
    expect(await movements()).toEqual(['owner transfer-in 9']);
    const rows = await database.db.selectFrom('followed_contract').selectAll().execute();
    expect(rows.find(({ address }) => address === lateVault)!.first_block).toBeLessThan(
      await local.node.getBlockNumber(),
    );
  });

  it('behavior: a reorganisation removes the events of the blocks that are gone', async () => {
    const { events } = await follow();
    await local.transfer(zeroAddress, owner, 100n);
    await local.transfer(zeroAddress, owner, 200n);
    await reachHead(events);
    await request(local.node, 'anvil_reorg', [1, []]);
    await local.node.mine({ blocks: 1 });
    await reachHead(events);
    expect(await movements()).toEqual(['owner transfer-in 100']);
    await local.transfer(zeroAddress, other, 3n);
    await reachHead(events);
    expect(await movements()).toEqual(['owner transfer-in 100', 'other transfer-in 3']);
  });

  it('behavior: a local chain that was replaced is followed anew; another one is not, and nothing is deleted', async () => {
    const first = await follow();
    await local.transfer(zeroAddress, owner, 100n);
    await reachHead(first.events);
    // A chain that has just begun may lose its first block.
    await local.node.mine({ blocks: 200 });
    await reachHead(first.events);
    await first.stop();
    const replacement = await startLogChain();
    try {
      await replacement.node.mine({ blocks: 500 });
      const refused = await follow({ chain: replacement }, false);
      await sleep(500);
      expect(refused.failures).toEqual([expect.stringContaining('contradicts every block')]);
      expect(await movements()).toEqual(['owner transfer-in 100']);
      await refused.stop();
      const { events } = await follow({ chain: replacement, mayBeReplaced: true });
      expect(await movements()).toEqual([]);
      await replacement.transfer(zeroAddress, other, 5n);
      await reachHead(events, replacement);
      expect(await movements()).toEqual(['other transfer-in 5']);
    } finally {
      await replacement.stop();
    }
  });

  it('behavior: many blocks are read in ranges that the node accepts', async () => {
    const { events, stop } = await follow();
    await stop();
    for (let shares = 1n; shares <= 4n; shares++) {
      await local.transfer(zeroAddress, owner, shares);
      await local.node.mine({ blocks: 150 });
    }
    hook((calls) => {
      const isTooLarge = calls.some(({ method, params: [filter] }) => {
        const { fromBlock = '0x0', toBlock = '0x0' } = (filter ?? {}) as { fromBlock?: Hex; toBlock?: Hex };
        return method === 'eth_getLogs' && BigInt(toBlock) - BigInt(fromBlock) > 100n;
      });
      if (!isTooLarge) return undefined;
      const error = { code: -32005, message: 'query exceeds max block range 100' };
      return respond(calls, (id) => ({ id, error }));
    });
    const before = local.proxy.callsOf('eth_getLogs').length;
    const again = await follow({ blocks: 200 });
    await reachHead(again.events);
    expect(await movements()).toEqual([1, 2, 3, 4].map((shares) => `owner transfer-in ${shares}`));
    expect(local.proxy.callsOf('eth_getLogs').length - before).toBeLessThan(100);
    expect(await events.newestBlock(chainId)).toBe(await local.node.getBlockNumber());
  });

  it('attack: logs that come after their block are stored, also after a failed request', async () => {
    const { events } = await follow();
    let withheld = 0;
    const remove = local.proxy.addHook((calls) => {
      if (!calls.some(({ method }) => method === 'eth_getLogs')) return undefined;
      withheld++;
      return respond(calls, (id) => ({ id, result: [] }));
    });
    await local.transfer(zeroAddress, owner, 100n);
    await reachHead(events);
    expect([await movements(), withheld > 0]).toEqual([[], true]);
    remove();
    local.proxy.setFault('http-500', 1);
    await local.node.mine({ blocks: 1 });
    for (let tries = 0; tries < 100 && (await movements()).length === 0; tries++) await sleep(20);
    expect(await movements()).toEqual(['owner transfer-in 100']);
  });

  it('attack: a reorganisation of the first block is followed', async () => {
    const { events, failures } = await follow();
    await request(local.node, 'anvil_reorg', [1, []]);
    await local.transfer(zeroAddress, owner, 100n);
    await reachHead(events);
    await local.transfer(zeroAddress, owner, 200n);
    await reachHead(events);
    expect([failures, (await movements()).at(-1)]).toEqual([[], 'owner transfer-in 200']);
  });

  it('behavior: the depth of a block counts on its own fork only', async () => {
    const { events } = await follow();
    await local.node.mine({ blocks: 3 });
    await reachHead(events);
    const head = await local.node.getBlock();
    const { number, hash } = await local.node.getBlock({ blockNumber: head.number - 2n });
    expect(await events.depthOf(chainId, { number, hash })).toBe(2n);
    expect(await events.depthOf(chainId, { number, hash: head.hash })).toBeUndefined();
  });

  it('attack: a node that lags changes nothing', async () => {
    const { events } = await follow();
    await local.transfer(zeroAddress, owner, 100n);
    await reachHead(events);
    const newest = await local.node.getBlockNumber();
    const old = await request(local.node, 'eth_getBlockByNumber', [numberToHex(newest - 1n), false]);
    hook((calls) => {
      const isHead = calls.length === 1 && calls[0]!.method === 'eth_getBlockByNumber';
      return isHead ? respond(calls, (id) => ({ id, result: old })) : undefined;
    });
    await sleep(300);
    expect(await movements()).toEqual(['owner transfer-in 100']);
    expect(await events.newestBlock(chainId)).toBe(newest);
  });

  it('attack: two processes that follow at once store each event once, and end nothing', async () => {
    const both = await Promise.all([follow({ mayBeReplaced: true }), follow({ mayBeReplaced: true })]);
    for (let shares = 1n; shares <= 10n; shares++) await local.transfer(zeroAddress, owner, shares);
    for (const { events } of both) await reachHead(events);
    expect(await movements()).toEqual(
      Array.from({ length: 10 }, (_, index) => `owner transfer-in ${index + 1}`),
    );
  });

  it('error: silent while nobody follows the chain, and when its node does not respond for long', async () => {
    const { events, stop } = await follow();
    const awaited = {
      chainId,
      sender: owner,
      nonce: nonceOf(9n),
      userOpHash: hashOf('99'),
      after: 1_000_000n,
    };
    await stop();
    await database.db
      .updateTable('followed_chain')
      .set({ seen_at: new Date(Date.now() - 11_000) })
      .execute();
    await expect(events.waitForOperation(awaited, 5_000)).resolves.toEqual({ kind: 'silent' });
    expect(await events.reach(chainId, 1n, 5_000)).toBe(false);
    expect(await events.newestBlock(chainId)).toBeUndefined();
    expect(await events.newestBlock(1)).toBeUndefined();
  });
});
