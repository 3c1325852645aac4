import { ForkNotRunningError } from '@yield-vault/protocol';
import { numberToHex } from 'viem';
import type { LaunchedFork } from '../ports.js';
import type { BlockRef } from '../types.js';
import { createBlockHosts } from './create-block-hosts.js';

const idleMs = 1_000;
const block = (number: bigint, variant = 0n): BlockRef => ({
  number,
  hash: numberToHex(number * 16n + variant),
  timestamp: number,
});
const settled = () => jest.advanceTimersByTimeAsync(0);
// A host ends a moment after the simulation that replaced it has begun.
const rested = () => jest.advanceTimersByTimeAsync(250);

interface FakeHost {
  readonly fork: LaunchedFork;
  readonly block: BlockRef;
  readonly destroy: jest.Mock;
  /** Let it end by itself. */
  readonly die: () => void;
}

let made: FakeHost[];
const start = jest.fn((at: BlockRef): Promise<LaunchedFork> => {
  let die = () => undefined as void;
  const ended = new Promise<string>((resolve) => (die = () => resolve('died')));
  const destroy = jest.fn(() => Promise.resolve());
  const fork = { ended, destroy, forkBlock: at.number } as unknown as LaunchedFork;
  made.push({ fork, block: at, destroy, die });
  return Promise.resolve(fork);
});

interface FakeSpare {
  readonly pin: jest.Mock;
  readonly end: jest.Mock;
}
let spares: FakeSpare[];
const startSpare = jest.fn(() => {
  const spare = { pin: jest.fn((at: BlockRef) => start(at)), end: jest.fn(() => Promise.resolve()) };
  spares.push(spare);
  return spare;
});

beforeEach(() => {
  jest.useFakeTimers();
  start.mockClear();
  startSpare.mockClear();
  spares = [];
  made = [];
});
afterEach(() => jest.useRealTimers());

describe('createBlockHosts', () => {
  const create = () => createBlockHosts({ start, startSpare, idleMs });

  it('default: leases of one block share a host', async () => {
    const hosts = create();
    const [one, other] = [hosts.lease(block(1n)), hosts.lease(block(1n))];
    expect(await one.host()).toBe(await other.host());
    expect(hosts.stats()).toEqual({ running: 1, started: 1, lost: 0 });
  });

  it('behavior: a block with the same number and another hash has its own host', async () => {
    const hosts = create();
    const [one, other] = [hosts.lease(block(1n)), hosts.lease(block(1n, 1n))];
    expect(await one.host()).not.toBe(await other.host());
  });

  it('behavior: without leases it ends once a newer block is leased, not before', async () => {
    const hosts = create();
    const old = hosts.lease(block(1n));
    hosts.lease(block(2n));
    await settled();
    expect(made[0]?.destroy).not.toHaveBeenCalled();
    old.release();
    await settled();
    expect(made[0]?.destroy).not.toHaveBeenCalled();
    await rested();
    expect(made[0]?.destroy).toHaveBeenCalledTimes(1);
    expect(hosts.stats()).toEqual({ running: 1, started: 2, lost: 0 });
  });

  it('behavior: at most two blocks have hosts while leases are short', async () => {
    const hosts = create();
    let previous = hosts.lease(block(0n));
    for (let number = 1n; number <= 5n; number++) {
      const lease = hosts.lease(block(number));
      await rested();
      expect(hosts.stats().running).toBeLessThanOrEqual(2);
      previous.release();
      previous = lease;
    }
  });

  it('behavior: an older block that comes late does not stay', async () => {
    const hosts = create();
    hosts.lease(block(2n));
    hosts.lease(block(1n)).release();
    await rested();
    expect(made.map(({ destroy }) => destroy.mock.calls.length)).toEqual([0, 1]);
  });

  it('behavior: the newest one ends after idling, and comes back when it is needed', async () => {
    const hosts = create();
    hosts.lease(block(1n)).release();
    await jest.advanceTimersByTimeAsync(idleMs - 1);
    expect(made[0]?.destroy).not.toHaveBeenCalled();
    await jest.advanceTimersByTimeAsync(1);
    expect(made[0]?.destroy).toHaveBeenCalledTimes(1);
    const again = hosts.lease(block(1n));
    expect(await again.host()).toBe(made[1]?.fork);
    expect(hosts.stats().running).toBe(1);
  });

  it('behavior: a new lease stops the idling', async () => {
    const hosts = create();
    hosts.lease(block(1n)).release();
    hosts.lease(block(1n));
    await jest.advanceTimersByTimeAsync(2 * idleMs);
    expect(made[0]?.destroy).not.toHaveBeenCalled();
  });

  it('behavior: a host that died is replaced', async () => {
    const hosts = create();
    const lease = hosts.lease(block(1n));
    await lease.host();
    made[0]?.die();
    await settled();
    expect(await lease.host()).toBe(made[1]?.fork);
    expect(hosts.stats()).toEqual({ running: 1, started: 2, lost: 1 });
  });

  it('behavior: a host that is discarded twice is lost once, and its successor stays', async () => {
    const hosts = create();
    const lease = hosts.lease(block(1n));
    const bad = await lease.host();
    lease.discard(bad);
    const good = lease.host();
    lease.discard(bad);
    expect(await lease.host()).toBe(await good);
    expect(made.map(({ destroy }) => destroy.mock.calls.length)).toEqual([2, 0]);
    expect(hosts.stats().lost).toBe(1);
  });

  it('error: a host that does not start; the next question tries again', async () => {
    const failure = new ForkNotRunningError({ detail: 'no' });
    start.mockImplementationOnce(() => Promise.reject(failure));
    const lease = create().lease(block(1n));
    await expect(lease.host()).rejects.toBe(failure);
    expect(await lease.host()).toBe(made[0]?.fork);
  });

  it('behavior: a spare becomes the host of the next new block; a block that has one leaves it', async () => {
    const hosts = create();
    hosts.lease(block(1n));
    hosts.prepare();
    hosts.prepare();
    hosts.lease(block(1n));
    expect(startSpare).toHaveBeenCalledTimes(1);
    expect(spares[0]?.pin).not.toHaveBeenCalled();
    const next = hosts.lease(block(2n));
    expect(spares[0]?.pin).toHaveBeenCalledWith(block(2n));
    expect(await next.host()).toBe(made[1]?.fork);
    hosts.lease(block(3n));
    expect(spares[0]?.pin).toHaveBeenCalledTimes(1);
  });

  it('behavior: the next spare starts once the last one is in use, and ends when no block comes', async () => {
    const hosts = create();
    hosts.prepare();
    hosts.lease(block(1n));
    expect(startSpare).toHaveBeenCalledTimes(1);
    await jest.advanceTimersByTimeAsync(250);
    expect(startSpare).toHaveBeenCalledTimes(2);
    hosts.prepare();
    await jest.advanceTimersByTimeAsync(15_000);
    expect(startSpare).toHaveBeenCalledTimes(2);
    expect(spares[1]?.end).toHaveBeenCalledTimes(1);
  });

  it('behavior: no spare starts once they are closed', async () => {
    const hosts = create();
    hosts.prepare();
    hosts.lease(block(1n));
    await hosts.close();
    await jest.advanceTimersByTimeAsync(1_000);
    expect(startSpare).toHaveBeenCalledTimes(1);
  });

  it('behavior: a spare that does not get ready costs a host of its own', async () => {
    const hosts = create();
    hosts.prepare();
    spares[0]?.pin.mockReturnValueOnce(Promise.reject(new Error('ended')));
    expect(await hosts.lease(block(1n)).host()).toBe(made[0]?.fork);
  });

  it('behavior: a spare that nobody needs ends, and at the latest with the others', async () => {
    const hosts = create();
    hosts.prepare();
    await jest.advanceTimersByTimeAsync(15_000);
    expect(spares[0]?.end).toHaveBeenCalledTimes(1);
    hosts.prepare();
    await hosts.close();
    expect(spares[1]?.end).toHaveBeenCalledTimes(1);
  });

  it('behavior: closing waits for the end of a spare', async () => {
    const hosts = create();
    hosts.prepare();
    let end = () => undefined as void;
    spares[0]?.end.mockReturnValueOnce(new Promise<void>((resolve) => (end = resolve)));
    let isClosed = false;
    const closing = hosts.close().then(() => (isClosed = true));
    await settled();
    expect(isClosed).toBe(false);
    end();
    await closing;
  });

  it('behavior: closing ends every host and waits for it', async () => {
    const hosts = create();
    hosts.lease(block(1n));
    hosts.lease(block(2n)).release();
    await hosts.close();
    expect(made.map(({ destroy }) => destroy.mock.calls.length)).toEqual([1, 1]);
  });
});
