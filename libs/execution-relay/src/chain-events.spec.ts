import { setTimeout as sleep } from 'node:timers/promises';
import { TransactionPendingError } from '@yield-vault/protocol';
import { buildIntent, chainId, type IntentParts } from '../test/support/build-intent.js';
import { createFakeChain } from '../test/support/fake-chain.js';
import { createFakeEvents } from '../test/support/fake-events.js';
import { openStores } from '../test/support/open-stores.js';
import { caught, expectPending, expectSent, idOf } from '../test/support/outcomes.js';
import { startRelay } from '../test/support/start-relay.js';
import type { ExecutionChain } from './ports.js';

const stores = openStores();

/** A chain whose bundler holds what it gets, its follower, and an intent of its own. */
async function setUp({ confirmations = 0, ...parts }: IntentParts & { confirmations?: number } = {}) {
  const fake = createFakeChain('chain', confirmations);
  fake.setMode('hold');
  const requests: Record<string, number> = {};
  const rpc = new Proxy(fake.chain.rpc, {
    get: (target, name) => (parameters: unknown) => {
      requests[String(name)] = (requests[String(name)] ?? 0) + 1;
      return (Reflect.get(target, name) as (parameters: unknown) => unknown)(parameters);
    },
  }) as ExecutionChain['rpc'];
  const chains = { ...fake.chains, findById: () => ({ ...fake.chain, rpc }) };
  const store = stores.connect();
  const follower = createFakeEvents(fake);
  const { events } = follower;
  const request = await buildIntent(parts);
  return {
    fake,
    follower,
    request,
    /** Requests to the node, by method. */
    requests,
    /** Store what is on chain, as the follower does. */
    follow: () => stores.follow(chainId, fake.readEvents()),
    stateOf: async () => (await store.find(idOf(request)))?.state,
    relay: (options: Parameters<typeof startRelay>[2] = {}) =>
      startRelay(store, chains, { events, ...options }),
    isSent: async () => {
      while (fake.sent.length === 0) await sleep(1);
      // The bundler takes a moment.
      await sleep(20);
    },
  };
}

describe('a call that waits', () => {
  it('default: costs the node four requests with simulation and confirmation, whenever it is included', async () => {
    const { fake, request, requests, follow, relay, isSent, stateOf } = await setUp({ confirmations: 2 });
    const simulate = jest.fn(() => Promise.resolve({ success: true } as const));
    const call = relay({ simulate: { simulate } }).execute(request);
    await isSent();
    await sleep(300);
    fake.mine(20n);
    fake.includeHeld();
    expect(await call).toMatchObject({ result: 'executed' });
    for (const [blocks, state] of [
      [0n, 'included'],
      [1n, 'included'],
      [1n, 'confirmed'],
    ] as const) {
      fake.mine(blocks);
      await follow();
      await relay().resume(chainId);
      expect(await stateOf()).toBe(state);
    }
    expect(simulate).toHaveBeenCalledTimes(1);
    expect(requests).toEqual({ readContract: 1, getTransactionReceipt: 2 });
  });

  it.each(['stuck', 'silent', 'unclear'] as const)(
    'behavior: gets the result from a follower that is %s at first',
    async (mode) => {
      const { fake, follower, request, relay, isSent } = await setUp();
      follower.setMode(mode);
      const call = relay().execute(request);
      await isSent();
      fake.includeHeld();
      if (mode === 'stuck') setTimeout(() => follower.setMode('live'), 200);
      expect(await call).toMatchObject({ result: 'executed', receipt: { blockNumber: 101 } });
    },
  );

  it.each(['silent', 'unclear'] as const)(
    'attack: a follower that is %s costs one reading a second, beside the first',
    async (mode) => {
      const { follower, request, requests, relay } = await setUp();
      follower.setMode(mode);
      await expectPending(relay({ waitSeconds: 1.5, pollMs: 1_000 }).execute(request));
      expect(requests['getBlock']).toBeLessThanOrEqual(3);
    },
  );

  it('attack: an announced transaction that a reorganisation removed decides nothing, and is not read at every turn', async () => {
    const { fake, follower, request, requests, relay, isSent } = await setUp();
    const call = caught(relay({ waitSeconds: 1, pollMs: 200 }).execute(request));
    await isSent();
    fake.includeHeld();
    follower.setMode('stuck');
    fake.reorganise();
    expect(await call).toBeInstanceOf(TransactionPendingError);
    expect(requests['getTransactionReceipt']).toBeLessThan(8);
    fake.mine(5n);
    fake.includeHeld();
    expect(await relay().execute(request)).toMatchObject({ receipt: { blockNumber: 107 } });
    expectSent(fake, 1);
  });

  it('attack: a lost event delays the result until the call reads the chain at its deadline', async () => {
    const { fake, follower, request, relay, isSent } = await setUp();
    follower.setMode('stuck');
    const call = relay({ waitSeconds: 0.2 }).execute(request);
    await isSent();
    fake.includeHeld();
    expect(await call).toMatchObject({ result: 'executed' });
  });

  it('behavior: drain ends it without a reading', async () => {
    const { request, requests, relay, isSent } = await setUp();
    const process = relay();
    const call = caught(process.execute(request));
    await isSent();
    await process.drain();
    expect(await call).toBeInstanceOf(TransactionPendingError);
    expect(requests).toEqual({ readContract: 1 });
  });

  it('error: INTENT_EXPIRED when it expires meanwhile', async () => {
    const { fake, request, relay, isSent } = await setUp();
    const { expiry } = request.intentEnvelope;
    const call = caught(relay({ now: () => expiry * 1000 - 1 }).execute(request));
    await isSent();
    fake.setTime(expiry + 1);
    expect(await call).toMatchObject({ details: { reason: 'INTENT_EXPIRED' } });
  });
});

describe('resume, on a chain that is followed', () => {
  /** A submitted intent that no call waits for. */
  const setUpLeft = async (parts?: Parameters<typeof setUp>[0]) => {
    const left = await setUp(parts);
    await caught(left.relay({ waitSeconds: 0 }).execute(left.request));
    for (const method of Object.keys(left.requests)) delete left.requests[method];
    return left;
  };

  it('default: reads nothing for an intent without an event, and one receipt for one with an event', async () => {
    const { fake, requests, follow, relay, stateOf } = await setUpLeft();
    await follow();
    await relay().resume(chainId);
    expect([await stateOf(), requests]).toEqual(['submitted', {}]);
    fake.includeHeld();
    await follow();
    await relay().resume(chainId);
    expect([await stateOf(), requests]).toEqual(['confirmed', { getTransactionReceipt: 1 }]);
  });

  it('behavior: a success whose event is gone returns to submitted', async () => {
    const { fake, request, follow, relay, stateOf } = await setUpLeft({ confirmations: 2 });
    fake.includeHeld();
    await relay().execute(request);
    fake.reorganise();
    fake.mine(1n);
    await follow();
    await relay().resume(chainId);
    expect(await stateOf()).toBe('submitted');
  });

  it('attack: the event of a transaction that the node does not have decides nothing', async () => {
    const { fake, request, relay, stateOf } = await setUpLeft({ confirmations: 2 });
    fake.includeHeld();
    const { block, operations } = fake.readEvents();
    fake.reorganise();
    await stores.follow(chainId, { block: block + 9n, operations });
    await relay().resume(chainId);
    expect(await stateOf()).toBe('submitted');
    await expectPending(relay({ waitSeconds: 0 }).execute(request));
  });

  it('attack: a revert on a fork that the follower lacks is final only at the depth of the node', async () => {
    const { fake, follower, relay, stateOf } = await setUpLeft({ confirmations: 1 });
    fake.mine(9n);
    follower.setMode('stuck');
    fake.reorganise();
    fake.mine(-8n);
    fake.setRevertReason('0x');
    fake.includeHeld();
    await relay().resume(chainId);
    expect(await stateOf()).toBe('submitted');
    fake.mine(1n);
    await relay()
      .resume(chainId)
      .catch(() => undefined);
    expect(await stateOf()).toBe('failed');
  });

  it('attack: finds a use of the nonce that only the follower had seen at the send', async () => {
    const { fake, follower, request, relay, stateOf } = await setUp();
    fake.mine(3n);
    follower.setMode('stuck');
    fake.mine(-3n);
    await caught(relay({ waitSeconds: 0 }).execute(request));
    fake.mine(1n);
    fake.incrementNonce(BigInt(request.intentEnvelope.userOps[0]!.userOperation.nonce));
    fake.mine(9n);
    await relay().resume(chainId);
    expect(await stateOf()).toBe('failed');
  });
});
