import { setTimeout as sleep } from 'node:timers/promises';
import { TransactionPendingError } from '@yield-vault/protocol';
import { numberToHex, TransactionReceiptNotFoundError, type Hex } from 'viem';
import { buildChain } from '../test/support/build-setup.js';
import type { BlockEventsPort } from './ports.js';
import { awaitReceipt } from './receipt.js';

const hash = numberToHex(1, { size: 32 });

/** Wait for a transaction of block 3 on a chain at block 0, and count what the wait costs. */
function setUp(
  reach: (stored: () => bigint) => BlockEventsPort['reach'],
  { waitMs = 30_000, longestWaitMs = 30_000, stuckAt = 9n } = {},
) {
  const counts = { polls: 0, renewals: 0 };
  let head = 0n;
  const read = () => (head < stuckAt ? head : stuckAt);
  const rpc = {
    getBlockNumber: () => {
      counts.polls++;
      return Promise.resolve(read());
    },
    getTransactionReceipt: ({ hash }: { hash: Hex }) =>
      read() < 3n
        ? Promise.reject(new TransactionReceiptNotFoundError({ hash }))
        : Promise.resolve({ blockNumber: 3n, status: 'success' }),
  };
  const waiting = { deadlineMs: Date.now() + waitMs, pollMs: 20, now: Date.now };
  const confirmed = awaitReceipt(buildChain(rpc), hash, 1, waiting, {
    forks: undefined,
    events: { reach: reach(() => head) },
    onPoll: () => Promise.resolve(void counts.renewals++),
    longestWaitMs,
    refusal: undefined,
  });
  return { counts, confirmed, mine: () => head++ };
}

/** A follower that stores each block at once. */
const live =
  (stored: () => bigint): BlockEventsPort['reach'] =>
  async (_, block, timeoutMs) => {
    for (const endMs = Date.now() + timeoutMs; stored() < block; await sleep(1))
      if (Date.now() >= endMs) return false;
    return true;
  };

describe('awaitReceipt', () => {
  it('default: polls once a block', async () => {
    const { counts, confirmed, mine } = setUp(live);
    for (const polls of [1, 2, 3]) {
      while (counts.polls < polls) await sleep(1);
      mine();
    }
    expect(await confirmed).toMatchObject({ head: 3n });
    expect(counts).toEqual({ polls: 4, renewals: 3 });
  });

  it('behavior: polls and renews the lease while no block comes', async () => {
    const { counts, confirmed, mine } = setUp(live, { longestWaitMs: 20 });
    while (counts.renewals < 3) await sleep(1);
    for (const _ of [1, 2, 3]) mine();
    expect(await confirmed).toMatchObject({ head: 3n });
  });

  it.each<[string, BlockEventsPort['reach'], { readonly stuckAt?: bigint }]>([
    ['nobody follows the chain', () => Promise.resolve(false), {}],
    ['the node lags behind the follower', () => Promise.resolve(true), { stuckAt: 1n }],
  ])('attack: pauses ever longer while %s', async (_, reach, options) => {
    const { counts, confirmed, mine } = setUp(() => reach, { ...options, waitMs: 600 });
    mine();
    await expect(confirmed).rejects.toBeInstanceOf(TransactionPendingError);
    // Pauses of 20 ms that grow by a tenth.
    expect(counts.polls).toBeLessThan(20);
  });
});
