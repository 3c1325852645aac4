import { ForkCapacityError, ForkNotRunningError, ForksNotConfiguredError } from '@yield-vault/protocol';
import { startRpcProxy, startTcpProxy } from '@yield-vault/testing';
import { hexToBigInt } from 'viem';
import { buildEphemeralForks } from '../../test/support/build-ephemeral-forks.js';
import { call, longCalls, sender, word, words } from '../../test/support/calls.js';
import { ownForks, until } from '../../test/support/own-forks.js';
import { startUpstream, type Upstream } from '../../test/support/start-upstream.js';
import { tiny } from '../../test/support/tiny-contracts.js';
import type { ForkStrategy, SimulatedCall } from '../types.js';
import type { MeteredEphemeralForks } from './create-ephemeral-forks.js';

let upstream: Upstream;
let forks: MeteredEphemeralForks;

beforeAll(async () => {
  upstream = await startUpstream();
});
beforeEach(() => {
  forks = buildEphemeralForks(upstream.rpcUrl);
});
afterEach(async () => {
  await forks.close();
  expect(ownForks()).toEqual([]);
});
afterAll(() => upstream.kill());

const strategies: readonly ForkStrategy[] = ['overlay', 'process', 'upstream-simulate'];

describe.each(strategies)('withEphemeralFork, strategy %s', (strategy) => {
  const simulate = (...calls: SimulatedCall[]) =>
    forks.withEphemeralFork('base', (fork) => fork.simulate({ calls }), { strategy });

  it('default: what one call changes, the next sees; logs and return data', async () => {
    const result = await simulate(call('counter', word(5n)), call('counter', word(7n)));
    expect(result.strategy).toBe(strategy);
    expect(result.calls.map(({ status, returnData }) => [status, hexToBigInt(returnData)])).toEqual([
      ['success', 5n],
      ['success', 12n],
    ]);
    expect(result.calls[1]?.logs).toEqual([{ address: tiny.counter.address, topics: [], data: word(12n) }]);
  });

  it('behavior: runs in the block after the newest one', async () => {
    const head = await upstream.reader.getBlock();
    const { block, calls } = await simulate(call('environment'), call('environment'));
    const [, gasPrice, number, time, , balance] = words(calls[1]?.returnData);
    expect(block).toEqual({ number: head.number, hash: head.hash, timestamp: head.timestamp });
    expect(number).toBe(head.number + 1n);
    expect(time).toBeGreaterThan(head.timestamp);
    if (strategy === 'process') return; // There the call pays, with what it was given.
    expect([gasPrice, balance]).toEqual([0n, 0n]);
  });

  it('behavior: a fork below that goes back to an earlier block is followed there', async () => {
    const read = async () => {
      const { block, calls } = await simulate(call('counter', word(0n)));
      return [block.number, hexToBigInt(calls[0]?.returnData ?? '0x')];
    };
    const before = await read();
    const snapshot = await upstream.operator.snapshot();
    const change = { address: tiny.counter.address, index: word(0n), value: word(77n) };
    await upstream.operator.setStorageAt(change);
    await upstream.operator.mine({ blocks: 2 });
    expect(await read()).toEqual([before[0]! + 2n, 77n]);
    await upstream.operator.revert({ id: snapshot });
    expect(await read()).toEqual(before);
  });

  it('behavior: a sender with fees pays them', async () => {
    const head = await upstream.reader.getBlock();
    const fees = { gas: 1_000_000n, maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 7n };
    const { calls } = await forks.withEphemeralFork(
      'base',
      (fork) =>
        fork.simulate({
          calls: [call('environment', '0x', fees)],
          stateOverrides: { [sender]: { balance: 10n ** 18n } },
        }),
      { strategy },
    );
    const [baseFee = 0n, gasPrice] = words(calls[0]?.returnData);
    expect(gasPrice).toBe(baseFee + 7n);
    // The chain's own simulation takes place in its next block, whose base fee is its own.
    if (strategy !== 'upstream-simulate') expect(baseFee).toBe(head.baseFeePerGas);
  });

  it('behavior: reverts and halts', async () => {
    const { calls } = await simulate(
      call('reverter'),
      call('invalid', '0x', { gas: 100_000n }),
      call('loop', '0x', { gas: 100_000n }),
      call('counter', word(1n)),
    );
    expect(calls.map(({ status, returnData }) => [status, returnData])).toEqual([
      ['revert', '0xaabbccdd'],
      ['halt', '0x'],
      ['halt', '0x'],
      ['success', word(1n)],
    ]);
    expect(calls[2]?.gasUsed).toBe(100_000n);
  });

  it.each([
    ['a fee below the base fee', { gas: 50_000n, maxFeePerGas: 1n }, 'FEE_TOO_LOW'],
    ['no funds for the fee', { maxFeePerGas: 10n ** 12n, maxPriorityFeePerGas: 1n }, 'INSUFFICIENT_BALANCE'],
    ['no funds for the value', { value: 10n ** 18n }, 'INSUFFICIENT_BALANCE'],
    ['too little gas', { gas: 20_000n }, 'INTRINSIC_GAS_TOO_LOW'],
  ])('error: %s', async (_, fields, revertReason) => {
    const calls = [call('counter', word(1n), fields)];
    const stateOverrides = { [sender]: { balance: 50_000n } };
    await expect(
      forks.withEphemeralFork('base', (fork) => fork.simulate({ calls, stateOverrides }), { strategy }),
    ).rejects.toMatchObject({
      code: 'PREFLIGHT_SIMULATION_FAILED',
      details: { revertReason },
    });
  });

  it('error: a chain without its RPC', async () => {
    const proxy = await startTcpProxy(upstream.rpcUrl);
    const cut = buildEphemeralForks(proxy.url, { deadlineMs: 4_000 });
    try {
      proxy.cut();
      await expect(
        cut.withEphemeralFork('base', (fork) => fork.simulate({ calls: [call('counter')] }), { strategy }),
      ).rejects.toMatchObject({ code: 'UPSTREAM_UNAVAILABLE', details: { dependency: 'rpc:base' } });
      expect(cut.list()).toEqual([]);
    } finally {
      await cut.close();
      await proxy.stop();
    }
  });
});

describe('withEphemeralFork', () => {
  /** Keeps a processor busy. Its template is known, so that the upstream is not asked what it touches. */
  const long = async (count: number, deadlineMs?: number) => {
    const run = (calls: SimulatedCall[], limit?: number) =>
      forks.withEphemeralFork('base', (fork) => fork.simulate({ calls, template: 'loop' }), {
        deadlineMs: limit,
      });
    await run([call('loop', '0x', { gas: 50_000n })]);
    return { running: run(longCalls(count), deadlineMs) };
  };
  const bump = (value = 1n) =>
    forks.withEphemeralFork('base', (fork) => fork.simulate({ calls: [call('counter', word(value))] }));

  it('behavior: one host serves a block, and the next block gets another one', async () => {
    await Promise.all(Array.from({ length: 20 }, () => bump()));
    expect(forks.stats().chains['base']?.hosts).toEqual({ running: 1, started: 1, lost: 0 });
    await upstream.operator.mine({ blocks: 1 });
    await Promise.all(Array.from({ length: 20 }, () => bump()));
    // The host, and a spare for a while.
    await until(() => ownForks().length <= 2);
    expect(forks.stats().chains['base']?.hosts).toEqual({ running: 1, started: 2, lost: 0 });
  });

  it('behavior: on every one of many blocks the state is its own, and foreseen', async () => {
    const slots = [1n, 2n, 3n];
    const { address } = tiny.reader;
    const likely = { calls: [call('reader', word(3n))], template: 'read' };
    const proxy = await startRpcProxy(upstream.rpcUrl);
    const counted = buildEphemeralForks(proxy.url);
    const requestsOn = async (value: bigint) => {
      for (const slot of slots)
        await upstream.operator.setStorageAt({ address, index: word(slot), value: word(value) });
      await upstream.operator.mine({ blocks: 1 });
      const before = proxy.requests;
      const { calls } = await counted.withEphemeralFork('base', (fork) => fork.simulate(likely), { likely });
      expect(words(calls[0]?.returnData)).toEqual([3n * value]);
      return proxy.requests - before;
    };
    try {
      const requests: number[] = [];
      for (let value = 1n; value <= 30n; value++) requests.push(await requestsOn(value));
      // One for the newest block, and one for its state where its number could not be guessed.
      expect(Math.max(...requests)).toBe(2);
    } finally {
      await counted.close();
      await proxy.stop();
    }
  });

  it('behavior: it is listed while it is used, and ends with its use', async () => {
    const kept = await forks.withEphemeralFork('base', (fork) => {
      expect(forks.list()).toMatchObject([
        { id: fork.id, kind: 'ephemeral', chain: 'base', status: 'running', forkBlock: fork.block.number },
      ]);
      return Promise.resolve(fork);
    });
    expect(forks.list()).toEqual([]);
    await expect(kept.simulate({ calls: [call('counter')] })).rejects.toBeInstanceOf(ForkNotRunningError);
  });

  it('behavior: what the use throws comes through, and the fork is gone', async () => {
    const failure = new Error('no');
    const use = () => Promise.reject(failure);
    await expect(forks.withEphemeralFork('base', use, { strategy: 'process' })).rejects.toBe(failure);
    expect([forks.list(), ownForks()]).toEqual([[], []]);
  });

  it('behavior: a process is a chain of its own', async () => {
    await forks.withEphemeralFork(
      'base',
      async ({ fork, simulate }) => {
        await simulate({ calls: [call('counter', word(3n))] });
        await fork?.fund({ address: sender, ethWei: 10n ** 18n });
        const sent = await fork?.sendAs({ from: sender, to: tiny.counter.address, data: word(4n) });
        expect([sent?.success, sent?.returnData]).toEqual([true, word(7n)]);
      },
      { strategy: 'process' },
    );
    expect(ownForks()).toEqual([]);
  });

  it('behavior: a host that is killed in the middle of a simulation is replaced', async () => {
    const { running } = await long(40);
    const { pid } = await until(() => ownForks().find(({ ticks }) => ticks > 20));
    process.kill(pid, 'SIGKILL');
    const { calls } = await running;
    expect(calls).toHaveLength(40);
    expect(ownForks().map((each) => each.pid)).not.toContain(pid);
    expect(forks.stats().chains['base']?.hosts).toMatchObject({ started: 2, lost: 1 });
  });

  it('behavior: a host that is stopped is replaced', async () => {
    await bump();
    const { pid } = await until(() => ownForks()[0]);
    process.kill(pid, 'SIGSTOP');
    expect((await bump(2n)).calls[0]?.returnData).toBe(word(2n));
    await until(() => ownForks().every((each) => each.pid !== pid));
  });

  it('error: a simulation that outlives its deadline, whose host goes with it', async () => {
    const { running } = await long(400, 500);
    const host = await until(() => ownForks()[0]);
    await expect(running).rejects.toMatchObject({ code: 'FORK_NOT_RUNNING', retryable: true });
    await until(() => ownForks().every(({ pid }) => pid !== host.pid));
  });

  it('behavior: what else ran on the host of such a simulation is repeated on another one', async () => {
    const { running: bomb } = await long(400, 500);
    const { running: others } = await long(60);
    await expect(bomb).rejects.toBeInstanceOf(ForkNotRunningError);
    expect((await others).calls).toHaveLength(60);
    await until(() => forks.stats().chains['base']?.hosts.lost === 1);
  });

  it('behavior: with a shadow, overlays are compared with processes in the background', async () => {
    const watched = buildEphemeralForks(upstream.rpcUrl, { shadowFraction: 1 });
    try {
      const calls = [call('counter', word(3n)), call('reverter'), call('loop', '0x', { gas: 90_000n })];
      await watched.withEphemeralFork('base', (fork) => fork.simulate({ calls }));
      const shadow = () => watched.stats().chains['base']?.shadow;
      await until(() => shadow()?.agreed === 1);
      expect(shadow()).toEqual({ agreed: 1, differed: 0, failed: 0, skipped: 0 });
    } finally {
      await watched.close();
    }
  });

  it('behavior: closing ends a comparison that is running', async () => {
    const watched = buildEphemeralForks(upstream.rpcUrl, { shadowFraction: 1 });
    const run = (calls: SimulatedCall[]) =>
      watched.withEphemeralFork('base', (fork) => fork.simulate({ calls, template: 'loop' }));
    await run([call('loop', '0x', { gas: 50_000n })]);
    await until(() => watched.stats().chains['base']?.shadow.agreed === 1);
    await run(longCalls(20));
    await until(() => ownForks().some(({ pinned }) => pinned));
    await watched.close();
    expect(ownForks()).toEqual([]);
  });

  it('error: aborted by the caller, with its reason', async () => {
    const giveUp = new AbortController();
    const reason = new Error('the caller has gone');
    const running = forks.withEphemeralFork('base', () => new Promise(() => undefined), {
      signal: giveUp.signal,
      strategy: 'process',
    });
    await until(() => forks.list().length === 1);
    giveUp.abort(reason);
    await expect(running).rejects.toBe(reason);
    expect([forks.list(), ownForks()]).toEqual([[], []]);
  });

  it('error: the queue is full, or its deadline passes in it', async () => {
    const small = buildEphemeralForks(upstream.rpcUrl, { concurrency: 1, queueLimit: 1, deadlineMs: 500 });
    try {
      const never = () => new Promise<never>(() => undefined);
      const first = small.withEphemeralFork('base', never, { deadlineMs: 5_000 });
      first.catch(() => undefined);
      const second = small.withEphemeralFork('base', never);
      const third = small.withEphemeralFork('base', never);
      await expect(third).rejects.toMatchObject({ code: 'FORK_CAPACITY', retryAfterSeconds: 1 });
      await expect(second).rejects.toBeInstanceOf(ForkCapacityError);
    } finally {
      await small.close();
    }
  });

  it('error: closed while it is used', async () => {
    const running = forks.withEphemeralFork('base', () => new Promise(() => undefined));
    await until(() => forks.list().length === 1);
    const closed = expect(running).rejects.toBeInstanceOf(ForkNotRunningError);
    await forks.close();
    await closed;
  });

  it('error: managed forks that are not configured', async () => {
    const use = () => Promise.resolve();
    await expect(forks.withEphemeralFork('base', use, { strategy: 'managed' })).rejects.toBeInstanceOf(
      ForksNotConfiguredError,
    );
  });

  it('error: a chain that is not known', async () => {
    await expect(forks.withEphemeralFork('moon', () => Promise.resolve())).rejects.toMatchObject({
      code: 'CHAIN_NOT_ACTIVE',
    });
  });
});
