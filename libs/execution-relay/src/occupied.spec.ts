import { setTimeout as sleep } from 'node:timers/promises';
import {
  TransactionPendingError,
  TransactionSubmissionError,
  type ExecuteRequest,
  type ExecuteResponse,
} from '@yield-vault/protocol';
import type { ExecutorHook } from '@yield-vault/smart-account';
import { testAccount, testKey } from '@yield-vault/testing';
import {
  buildIntent,
  chainId,
  deposit,
  owner,
  redeem,
  type IntentParts,
} from '../test/support/build-intent.js';
import { createFakeChain } from '../test/support/fake-chain.js';
import { openStores } from '../test/support/open-stores.js';
import {
  caught,
  expectError,
  expectErrorOf,
  expectPending,
  expectSent,
  idOf,
} from '../test/support/outcomes.js';
import { startRelay } from '../test/support/start-relay.js';
import type { IntentStore } from './ports.js';

const nowSeconds = Math.floor(Date.now() / 1000);
const sent = async (fake: ReturnType<typeof createFakeChain>) => {
  while (fake.sent.length === 0) await sleep(1);
  // The bundler takes a moment.
  await sleep(20);
};
const other = { key: testKey('other'), operation: { sender: testAccount('other').address } };

const stores = openStores();
const { expectState } = stores;

describe('a caller who occupies execute', () => {
  /** A chain whose bundler keeps what it gets, and two replicas that do not wait. */
  const setUp = () => {
    const fake = createFakeChain();
    fake.setMode('hold');
    const store = stores.connect();
    const impatient = () => startRelay(stores.connect(), fake.chains, { waitSeconds: 0 });
    return { fake, store, replicas: [impatient(), impatient()] as const };
  };
  const openRows = async (store: IntentStore) =>
    (await store.ofWallet({ wallet: owner.address, limit: 50 })).records.length;
  const variants = (count: number, parts: IntentParts) =>
    Promise.all(
      Array.from({ length: count }, (_, index) =>
        buildIntent({ ...parts, expiry: nowSeconds + 500 + index }),
      ),
    );

  describe('expiry', () => {
    it.each([
      ['later than the lifetime and a minute', nowSeconds + 600 + 120],
      ['2^48 - 1', 2 ** 48 - 1],
    ])('error: INVALID_EXPIRY for %s', async (_, expiry) => {
      const { store, replicas } = setUp();
      const request = await buildIntent();
      const late = { ...request, intentEnvelope: { ...request.intentEnvelope, expiry } };
      await expectError(replicas[0].execute(late), {
        details: { reason: 'INVALID_EXPIRY' },
      });
      expect(await openRows(store)).toBe(0);
    });

    it('behavior: the clock of prepare may be half a minute ahead', async () => {
      const { store, replicas } = setUp();
      const request = await buildIntent({ expiry: nowSeconds + 600 + 30 });
      await expectPending(replicas[0].execute(request));
      expect(await openRows(store)).toBe(1);
    });

    it('behavior: a known intent stays pending when the lifetime is configured shorter', async () => {
      const { fake, store, replicas } = setUp();
      const request = await buildIntent();
      await caught(replicas[0].execute(request));
      const strict = startRelay(store, fake.chains, { waitSeconds: 0, lifetimeSeconds: 60 });
      await expectPending(strict.execute(request));
    });
  });

  it('attack: twelve expiries of one stuck operation leave one open row, and one send', async () => {
    const { fake, store, replicas } = setUp();
    const requests = await variants(12, { sequence: 7n });
    const errors = await Promise.all(
      requests.map((request, index) => caught(replicas[index % 2]!.execute(request))),
    );
    for (const error of errors) expect(error).toBeInstanceOf(TransactionPendingError);
    expect(await store.unresolved(fake.chain, 100)).toHaveLength(1);
    expect([await openRows(store), fake.sent.length]).toEqual([1, 1]);
  });

  it('attack: two open rows of a nonce, whatever validAfter and call data; the error names an open one', async () => {
    const { store, replicas } = setUp();
    const requests = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        buildIntent({
          sequence: 8n,
          validAfter: index,
          hooks: [{ ...deposit, minShares: BigInt(index + 1) } as ExecutorHook],
        }),
      ),
    );
    const errors = await Promise.all(
      requests.map((request, index) => caught(replicas[index % 2]!.execute(request))),
    );
    expect(await openRows(store)).toBe(2);
    const open = (await store.ofWallet({ wallet: owner.address, limit: 50 })).records.map(
      ({ intentId }) => intentId,
    );
    const refused = errors.filter((error) => 'openIntentId' in (error as TransactionPendingError).details);
    expect(refused).toHaveLength(10);
    for (const error of refused) {
      expect(error).toBeInstanceOf(TransactionPendingError);
      expect(open).toContain((error as TransactionPendingError).details['openIntentId']);
    }
  });

  it('attack: an old nonce on a node without old state costs one search, however long calls wait', async () => {
    const { fake, store } = setUp();
    const request = await buildIntent();
    fake.incrementNonce(BigInt(request.intentEnvelope.userOps[0]!.userOperation.nonce));
    fake.mine(40_000_000n);
    let requests = 0;
    for (const target of [fake.chain.rpc, fake.chain.bundler!])
      for (const [name, read] of Object.entries(target) as [string, (call: object) => unknown][])
        Object.assign(target, {
          [name]: (call: { blockNumber?: bigint }) => {
            requests++;
            return name === 'readContract' && (call.blockNumber ?? 40_000_100n) < 40_000_100n - 128n
              ? Promise.reject(new Error('missing trie node'))
              : read(call);
          },
        });
    await expectPending(startRelay(store, fake.chains, { waitSeconds: 2 }).execute(request));
    expect(requests).toBeLessThan(100);
  });

  it('attack: eight open rows of a wallet, whatever the nonce; another wallet is served, and a row that ends makes room', async () => {
    const { fake, store, replicas } = setUp();
    const requests = await Promise.all(
      Array.from({ length: 20 }, (_, index) => buildIntent({ sequence: 100n + BigInt(index) })),
    );
    await Promise.all(requests.map((request, index) => caught(replicas[index % 2]!.execute(request))));
    expect([await openRows(store), fake.sent.length]).toEqual([8, 8]);
    await caught(replicas[0].execute(await buildIntent(other)));
    expectSent(fake, 9);

    fake.setTime(nowSeconds + 3_600);
    await replicas[0].resume(chainId);
    fake.setTime(nowSeconds);
    await caught(replicas[1].execute(await buildIntent()));
    expectSent(fake, 10);
  });

  describe('duplicates of one pending intent', () => {
    it('behavior: those that wait get the result of the first, those above the limit TRANSACTION_PENDING at once', async () => {
      const { fake, store } = setUp();
      const maxWaiting = { perIntent: 5, perWallet: 6, perClient: 7, joined: 8 };
      const relay = startRelay(store, fake.chains, { maxWaiting });
      const request = await buildIntent();
      const calls = Array.from({ length: 9 }, () => caught(relay.execute(request, '10.0.0.1')));
      const refused = await Promise.all(calls.slice(5));
      for (const error of refused) expect(error).toBeInstanceOf(TransactionPendingError);
      await sent(fake);
      fake.includeHeld();
      const [first, ...others] = (await Promise.all(calls.slice(0, 5))) as ExecuteResponse[];
      expect(first).toMatchObject({ result: 'executed' });
      for (const response of others) expect(response).toEqual({ ...first, result: 'already_executed' });
    });

    it('attack: nobody joins a waiter without a valid signature', async () => {
      const { fake, store } = setUp();
      const relay = startRelay(store, fake.chains, { waitSeconds: 0.3 });
      const [request, foreign] = [await buildIntent(), await buildIntent(other)];
      const waiting = caught(relay.execute(request));
      const forged = { ...request, intentSignature: foreign.intentSignature };
      await expectError(relay.execute(forged), { details: { reason: 'INVALID_SIGNATURE' } });
      expect(await waiting).toBeInstanceOf(TransactionPendingError);
    });
  });

  describe('two intents of one operation', () => {
    it('attack: one inclusion, whichever is asked', async () => {
      const { fake, store, replicas } = setUp();
      fake.setMode('include');
      const [first, second] = (await variants(2, { sequence: 40n })) as [ExecuteRequest, ExecuteRequest];
      const executed = await replicas[0].execute(first);
      const again = await replicas[1].execute(second);
      expect(again).toEqual({ ...executed, result: 'already_executed' });
      expectSent(fake, 1);

      const shown = await replicas[0].intent(idOf(first));
      expect(shown).not.toHaveProperty('duplicateOf');
      expect(await replicas[0].intent(idOf(second))).toEqual({
        ...shown,
        intentId: idOf(second),
        expiry: second.intentEnvelope.expiry,
        createdAt: expect.any(String) as string,
        result: again,
        duplicateOf: idOf(first),
      });
      const { intents } = await replicas[0].intents({ wallet: owner.address, limit: 10 });
      expect(intents).toEqual([shown]);
      expect(await store.unresolved(fake.chain, 10)).toEqual([]);
    });

    it('attack: 20 variants of an executed operation leave 16 rows, and all get its result', async () => {
      const { fake, store, replicas } = setUp();
      fake.setMode('include');
      const [first, ...others] = await variants(21, { sequence: 46n });
      await replicas[0].execute(first!);
      for (const other of others)
        expect(await replicas[1].execute(other)).toMatchObject({ result: 'already_executed' });
      const known = await Promise.all(others.map((other) => store.find(idOf(other))));
      expect(known.filter((record) => record !== undefined).length).toBe(16);
    });

    it('behavior: at the same time, both wait for the one that was sent', async () => {
      const { fake, store } = setUp();
      const relays = [store, stores.connect()].map((each) => startRelay(each, fake.chains));
      const requests = await variants(6, { sequence: 41n });
      const calls = requests.map((request, index) => relays[index % 2]!.execute(request));
      await sent(fake);
      fake.includeHeld();
      const results = (await Promise.all(calls)).map(({ result }) => result).sort();
      expect(results).toEqual([...Array<string>(5).fill('already_executed'), 'executed']);
      expectSent(fake, 1);
    });

    it('behavior: both have the failure of the operation', async () => {
      const { fake, replicas } = setUp();
      fake.setMode('include');
      fake.setRevertReason('0x');
      for (const request of await variants(2, { sequence: 42n, hooks: [redeem] }))
        await expectErrorOf(TransactionSubmissionError, replicas[0].execute(request));
      expectSent(fake, 1);
    });

    it('behavior: when the first expired unsent by the bundler, the second is sent', async () => {
      const { fake, store, replicas } = setUp();
      const [first, second] = (await variants(2, { sequence: 43n })) as [ExecuteRequest, ExecuteRequest];
      await caught(replicas[0].execute(first));
      fake.dropHeld();
      fake.setTime(first.intentEnvelope.expiry + 1);
      // The first call finds the expiry of the other intent, so it does not send.
      await expectPending(replicas[1].execute(second));
      expectSent(fake, 1);
      fake.setMode('include');
      expect(await replicas[1].execute(second)).toMatchObject({ result: 'executed' });
      await expectState(first, 'expired');
      // The operation is on chain, so the caller must not prepare it again.
      expect(await replicas[0].execute(first)).toMatchObject({ result: 'already_executed' });
      expect(await store.find(idOf(first))).toMatchObject({ duplicateOf: idOf(second) });
    });
  });
});

describe('duplicates of one pending intent', () => {
  /** Count the calls of ledger and chain while so many calls wait for one intent, in an even time. */
  async function countCalls(duplicates: number) {
    const [fake, store] = [createFakeChain(), stores.connect()];
    fake.setMode('hold');
    const calls = { ledger: 0, rpc: 0, bundler: 0 };
    const counted = <T extends object>(target: T, name: keyof typeof calls): T =>
      new Proxy(target, {
        get: (from, key) => {
          const value: unknown = Reflect.get(from, key);
          if (typeof value !== 'function') return value;
          return (...args: unknown[]): unknown => {
            calls[name]++;
            return Reflect.apply(value, from, args);
          };
        },
      });
    const chain = {
      ...fake.chain,
      rpc: counted(fake.chain.rpc, 'rpc'),
      bundler: fake.chain.bundler && counted(fake.chain.bundler, 'bundler'),
    };
    const relay = startRelay(
      counted(store, 'ledger'),
      { ...fake.chains, findById: () => chain },
      // Two polls: one at the start, one after the wait.
      { waitSeconds: 0.9, pollMs: 1_000 },
    );
    const request = await buildIntent();
    const errors = await Promise.all(
      Array.from({ length: duplicates }, () => caught(relay.execute(request))),
    );
    for (const error of errors) expect(error).toBeInstanceOf(TransactionPendingError);
    return calls;
  }

  it('attack: 1,000 cost the ledger and the node as much as 10', async () => {
    const few = await countCalls(10);
    const many = await countCalls(1_000);
    expect(many).toEqual(few);
  });
});
