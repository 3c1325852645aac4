import { openTestDatabase } from '@yield-vault/database/testing';
import { TransactionPendingError } from '@yield-vault/protocol';
import { createPublicClient, custom } from 'viem';
import { allowanceUsdc, buildChain, buildSetup } from '../test/support/build-setup.js';
import { createDatabaseSetupStore } from './adapters/database-setup-store.js';
import { createSetupRelay } from './setup-relay.js';

const nowMs = Date.parse('2026-01-01T00:00:00Z');

describe('duplicates of one pending setup', () => {
  it('attack: share one waiter, and get TRANSACTION_PENDING at once above the limit', async () => {
    const database = await openTestDatabase();
    const store = createDatabaseSetupStore(database);
    const reserve = jest.fn(store.reserve);
    let fail!: (error: Error) => void;
    const silent = new Promise<never>((_, reject) => (fail = reject));
    const chain = buildChain(
      createPublicClient({ transport: custom({ request: () => silent }, { retryCount: 0 }) }),
    );
    const { relay } = createSetupRelay({
      chains: { keys: ['base'], findById: () => chain },
      store: { ...store, reserve },
      options: {
        ticketLifetimeSeconds: 900,
        waitSeconds: 5,
        paymasterAllowanceUsdc: allowanceUsdc,
        maxWaiting: { perIntent: 3, perWallet: 10, perClient: 10, joined: 10 },
      },
      now: () => nowMs,
    });
    const request = await buildSetup({ nowMs });
    const calls = Array.from({ length: 10 }, () => relay(request).catch((error: unknown) => error));
    const early: unknown[] = [];
    for (const call of calls) void call.then((error) => early.push(error));
    while (early.length < 7) await new Promise(setImmediate);
    for (const error of early) expect(error).toBeInstanceOf(TransactionPendingError);
    fail(new Error('the node failed'));
    const errors = await Promise.all(calls);
    expect(errors.filter((error) => error instanceof TransactionPendingError)).toHaveLength(7);
    expect(reserve).toHaveBeenCalledTimes(1);
    await database.close();
  });
});
