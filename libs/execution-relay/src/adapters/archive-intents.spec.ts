import { ensurePartitions, listPartitions, type DatabaseHandle } from '@yield-vault/database';
import { databaseBackends } from '@yield-vault/database/testing';
import {
  InvalidParametersError,
  TransactionPendingError,
  TransactionSubmissionError,
} from '@yield-vault/protocol';
import { sql, type KyselyPlugin } from 'kysely';
import type { Hex } from 'viem';
import { buildIntent, chainId, owner, type IntentParts } from '../../test/support/build-intent.js';
import { createFakeChain } from '../../test/support/fake-chain.js';
import { startRelay } from '../../test/support/start-relay.js';
import type { ExecutionChain } from '../ports.js';
import { archiveIntents } from './archive-intents.js';
import { createDatabaseIntentStore } from './database-intent-store.js';

// Opening a database takes seconds on a busy machine.
jest.setTimeout(120_000);

const daySeconds = 86_400;
const now = Math.floor(Date.now() / 1000);
const idOf = (index: number): Hex => `0x${index.toString(16).padStart(64, '0')}`;
const wallet = '0x00000000000000000000000000000000000000aa';
const kept = { days: 400 };

/** Ages in days. */
interface Parts {
  readonly expired?: number;
  readonly changed?: number;
  /** Two intents may have one operation. */
  readonly operation?: number;
}

describe.each(databaseBackends())('archiveIntents ($name)', ({ open }) => {
  let database: DatabaseHandle;
  beforeAll(async () => {
    database = await open();
  });
  afterEach(async () => {
    await database.db.deleteFrom('intent').execute();
    await database.db.deleteFrom('intent_archive').execute();
  });
  afterAll(() => database.close());

  const insert = async (
    index: number,
    state: string,
    { expired = 2, changed = expired, operation = index }: Parts = {},
  ) => {
    await sql`
      insert into intent (intent_id, chain_id, wallet, state, user_op_hash, nonce, expiry, user_operation, response,
        created_at, updated_at)
      values (${idOf(index)}, ${chainId}, ${wallet}, ${state}, ${idOf(1_000 + operation)}, 1,
        ${Math.floor(now - expired * daySeconds)}, '{}', '{}',
        now() - ${expired} * interval '1 day' - interval '10 minutes', now() - ${changed} * interval '1 day')
      `.execute(database.db);
    return idOf(index);
  };
  const insertDuplicate = (index: number, duplicateOf: Hex, expired = 2) =>
    database.db
      .insertInto('intent_duplicate')
      .values({
        intent_id: idOf(index),
        duplicate_of: duplicateOf,
        expiry: Math.floor(now - expired * daySeconds),
      })
      .execute();
  const idsIn = async (table: 'intent' | 'intent_archive') =>
    (await database.db.selectFrom(table).select('intent_id').orderBy('intent_id').execute()).map(
      (row) => row.intent_id,
    );
  const countIn = async (table: 'intent' | 'intent_archive' | 'intent_duplicate') =>
    Number(
      (await sql<{ n: bigint }>`select count(*) as n from ${sql.table(table)}`.execute(database.db)).rows[0]!
        .n,
    );

  it('default: a moved intent is found by its id, by the id of a duplicate, and in the list of its wallet', async () => {
    const store = createDatabaseIntentStore(database);
    const ids = [
      await insert(1, 'confirmed', { expired: 40 }),
      await insert(2, 'failed', { expired: 3 }),
      await insert(3, 'expired'),
      await insert(4, 'confirmed', { expired: 0.5 }),
    ];
    await insertDuplicate(5, idOf(1), 39);
    const read = () =>
      Promise.all([
        ...[...ids, idOf(5)].map((id) => store.find(id)),
        store.ofWallet({ wallet, limit: 3 }),
        store.ofWallet({ wallet, limit: 10 }),
      ]);
    const before = await read();
    await archiveIntents(database, kept);
    expect(await idsIn('intent')).toEqual([idOf(4)]);
    expect(await idsIn('intent_archive')).toEqual([1, 2, 3, 5].map(idOf));
    const after = await read();
    expect(after).toEqual(before);
    expect(after[4]).toMatchObject({ duplicateOf: idOf(1), state: 'confirmed' });
    const first = { records: [4, 3, 2].map((index) => ({ intentId: idOf(index) })) };
    expect(after[5]).toMatchObject({ ...first, nextCursor: expect.any(String) });
    expect(after[6]).toMatchObject({ nextCursor: null });
  });

  it('behavior: pages reach the archive, and skip or repeat nothing while rows arrive and move', async () => {
    const store = createDatabaseIntentStore(database);
    for (const [index, expired] of [60, 40, 3, 3, 3, 2, 0].entries())
      await insert(index + 1, index === 4 ? 'failed' : 'confirmed', { expired });
    // One time for three of them, to the microsecond.
    await sql`update intent set created_at = '2026-01-01 12:00:00.123456+00' where intent_id = any(${[3, 4, 5].map(idOf)}::text[])`.execute(
      database.db,
    );
    await sql`update intent set created_at = '2025-12-01 12:00:00+00' where intent_id = any(${[1, 2].map(idOf)}::text[])`.execute(
      database.db,
    );
    await insertDuplicate(8, idOf(3), 3);
    const walk = async (state?: 'failed') => {
      const seen: Hex[] = [];
      let cursor: string | undefined;
      do {
        const page = await store.ofWallet({
          wallet,
          limit: 1,
          ...(cursor !== undefined && { cursor }),
          ...(state && { state }),
        });
        seen.push(...page.records.map(({ intentId }) => intentId));
        cursor = page.nextCursor ?? undefined;
        if (!state && seen.length === 3) {
          await insert(9, 'submitted', { expired: -1 });
          await archiveIntents(database, kept);
          expect(await idsIn('intent_archive')).toContain(idOf(3));
        }
      } while (cursor !== undefined);
      return seen;
    };
    expect(await walk()).toEqual([7, 6, 5, 4, 3, 2, 1].map(idOf));
    expect(await walk('failed')).toEqual([idOf(5)]);
    const { nextCursor } = await store.ofWallet({ wallet, limit: 1 });
    const foreign = { wallet: owner.address, limit: 1, cursor: nextCursor! };
    await expect(store.ofWallet(foreign)).rejects.toThrow(InvalidParametersError);
    for (const cursor of ['', 'MQ', `${nextCursor}A`, nextCursor!.slice(1)])
      await expect(store.ofWallet({ wallet, limit: 1, cursor })).rejects.toThrow(InvalidParametersError);
  });

  it('behavior: open intents stay, and so does what expired, changed or has a duplicate of the last day', async () => {
    for (const [index, state] of ['reserved', 'simulated', 'submitted', 'included'].entries())
      await insert(index, state, { expired: 30 });
    await insert(4, 'confirmed', { expired: 0.9, changed: 2 });
    await insert(5, 'confirmed', { expired: 2, changed: 0.9 });
    await insertDuplicate(7, await insert(6, 'confirmed'), 0.9);
    await archiveIntents(database, kept);
    expect(await idsIn('intent')).toEqual([0, 1, 2, 3, 4, 5, 6].map(idOf));
    expect(await idsIn('intent_archive')).toEqual([]);
  });

  it.each(['insert into', 'delete from'])(
    'behavior: a run that dies at %s loses nothing',
    async (statement) => {
      await insertDuplicate(2, await insert(1, 'confirmed'));
      const dying: KyselyPlugin = {
        transformQuery: ({ node, queryId }) => {
          if (database.db.getExecutor().compileQuery(node, queryId).sql.trim().startsWith(statement))
            throw new Error('killed');
          return node;
        },
        transformResult: ({ result }) => Promise.resolve(result),
      };
      const killed = archiveIntents({ db: database.db.withPlugin(dying) }, kept);
      await expect(killed).rejects.toThrow('killed');
      expect([await countIn('intent'), await countIn('intent_duplicate')]).toEqual([1, 1]);
      expect(await countIn('intent_archive')).toBe(0);
      await archiveIntents(database, kept);
      expect(await idsIn('intent_archive')).toEqual([1, 2].map(idOf));
    },
  );

  it('behavior: two runs at once move each intent once', async () => {
    await sql`
      insert into intent (intent_id, chain_id, wallet, state, user_op_hash, nonce, expiry, user_operation, updated_at)
      select n, 1, ${wallet}, 'confirmed', n, n, ${now - 2 * daySeconds} - n * 600, '{}',
        now() - interval '2 days' - n * interval '10 minutes'
      from generate_series(1, 5000) as n`.execute(database.db);
    await Promise.all([archiveIntents(database, kept), archiveIntents(database, kept)]);
    // A run skips rows that the other one holds.
    await archiveIntents(database, kept);
    expect([await countIn('intent'), await countIn('intent_archive')]).toEqual([0, 5_000]);
  });

  it('behavior: a row that was executed again takes the place of its archived row', async () => {
    await insert(1, 'expired');
    await archiveIntents(database, kept);
    await insertDuplicate(1, await insert(2, 'confirmed', { operation: 1 }));
    const store = createDatabaseIntentStore(database);
    const before = await store.find(idOf(1));
    await archiveIntents(database, kept);
    expect(before).toMatchObject({ state: 'confirmed', duplicateOf: idOf(2) });
    expect(await store.find(idOf(1))).toEqual(before);
  });

  it('behavior: whole months are dropped, none with an intent that is younger than the limit', async () => {
    // The first days of the oldest month that must be kept.
    const limit = new Date((now - 100 * daySeconds) * 1_000);
    const start = Date.UTC(limit.getUTCFullYear(), limit.getUTCMonth()) / 1_000;
    await ensurePartitions(database.db, 'intent_archive', [start - 40 * daySeconds, start - 1]);
    await insert(1, 'confirmed', { expired: (now - start) / daySeconds });
    await insert(2, 'confirmed', { expired: (now - start + 1) / daySeconds });
    await archiveIntents(database, { days: 100 });
    const months = await listPartitions(database.db, 'intent_archive');
    expect(months[0]?.from).toBe(start);
    expect([await idsIn('intent'), await idsIn('intent_archive')]).toEqual([[], [idOf(1)]]);
    await archiveIntents(database, { days: 60 });
    expect(await idsIn('intent_archive')).toEqual([]);
  });

  describe('a repeated execute', () => {
    /** A relay of two days ago, and one of today. */
    const setUp = (relayMode?: ExecutionChain['relayMode']) => {
      const fake = createFakeChain(relayMode);
      const store = createDatabaseIntentStore(database);
      fake.setTime(now - 2 * daySeconds);
      const then = startRelay(store, fake.chains, { now: () => (now - 2 * daySeconds) * 1_000 });
      const build = (parts: IntentParts = {}) =>
        buildIntent({ expiry: now - 2 * daySeconds + 300, ...parts });
      const archive = async () => {
        await sql`update intent set updated_at = now() - interval '2 days'`.execute(database.db);
        await archiveIntents(database, kept);
        expect(await countIn('intent')).toBe(0);
        fake.setTime(now);
      };
      return { fake, store, then, today: startRelay(store, fake.chains), build, archive };
    };

    it('default: returns the same hashes, for a duplicate too, and sends nothing', async () => {
      const { fake, then, today, build, archive } = setUp();
      const operation = { sequence: 7_000n };
      const [request, variant, unknown] = [
        await build(operation),
        await build({ ...operation, expiry: now - 2 * daySeconds + 301 }),
        await build({ ...operation, expiry: now - 2 * daySeconds + 302 }),
      ];
      const executed = await then.execute(request);
      await then.execute(variant);
      const shown = await then.intent(variant.intentEnvelope.merkleRoot);
      await archive();
      for (const each of [request, variant, unknown])
        expect(await today.execute(each)).toEqual({ ...executed, result: 'already_executed' });
      expect(await today.intent(variant.intentEnvelope.merkleRoot)).toEqual({
        ...shown,
        updatedAt: expect.any(String) as string,
      });
      expect(await today.intents({ wallet: owner.address, limit: 10 })).toMatchObject({ count: 1 });
      expect([fake.sent.length, await countIn('intent')]).toEqual([1, 0]);
    });

    it('behavior: an expired intent has the result of another intent of its operation', async () => {
      const { fake, store, today, build, archive } = setUp();
      const operation = { sequence: 7_005n };
      const expiry = now - 2 * daySeconds + 300;
      const [request, variant] = [await build(operation), await build({ ...operation, expiry: now + 300 })];
      const past = startRelay(store, fake.chains, { waitSeconds: 0, now: () => (expiry - 300) * 1_000 });
      fake.setMode('hold');
      await expect(past.execute(request)).rejects.toBeInstanceOf(TransactionPendingError);
      fake.dropHeld();
      fake.setTime(expiry + 1);
      await past.resume(chainId);
      await archive();
      await expect(today.execute(request)).rejects.toMatchObject({ details: { reason: 'INTENT_EXPIRED' } });
      fake.setMode('include');
      const executed = await today.execute(variant);
      expect(await today.execute(request)).toEqual({ ...executed, result: 'already_executed' });
      expect(await today.intent(request.intentEnvelope.merkleRoot)).toMatchObject({
        state: 'confirmed',
        duplicateOf: variant.intentEnvelope.merkleRoot,
      });
    });

    it('error: the stored failure', async () => {
      const { fake, then, today, build, archive } = setUp();
      const request = await build({ sequence: 7_001n });
      fake.setRevertReason('0x');
      const failure: unknown = await then.execute(request).catch((error: unknown) => error);
      await archive();
      expect(failure).toBeInstanceOf(TransactionSubmissionError);
      await expect(today.execute(request)).rejects.toEqual(failure);
    });

    it('error: UNSUPPORTED_ENVELOPE for another operation of the root', async () => {
      const { then, today, build, archive } = setUp();
      const request = await build({ sequence: 7_002n });
      await then.execute(request);
      await archive();
      await sql`update intent_archive set user_op_hash = ${idOf(9)}`.execute(database.db);
      await expect(today.execute(request)).rejects.toMatchObject({
        details: { reason: 'UNSUPPORTED_ENVELOPE' },
      });
    });

    it('error: INTENT_EXPIRED on a managed fork that was recreated, and the archived rows are deleted', async () => {
      const { fake, then, today, build, archive } = setUp('managed-fork');
      const operation = { sequence: 7_003n };
      const request = await build(operation);
      const variant = await build({ ...operation, expiry: now - 2 * daySeconds + 301 });
      await then.execute(request);
      await then.execute(variant);
      await archive();
      fake.recreate();
      await expect(today.execute(variant)).rejects.toMatchObject({ details: { reason: 'INTENT_EXPIRED' } });
      expect([await countIn('intent'), await countIn('intent_archive')]).toEqual([0, 0]);
    });

    it('attack: a move between the search of the archive and the reservation adds no second row', async () => {
      const { fake, then, build, archive } = setUp();
      const request = await build({ sequence: 7_004n });
      const executed = await then.execute(request);
      await archive();
      let searches = 0;
      const missFirst: KyselyPlugin = {
        transformQuery: ({ node }) => node,
        transformResult: ({ result }) => Promise.resolve(searches++ === 0 ? { ...result, rows: [] } : result),
      };
      const store = createDatabaseIntentStore({ db: database.db.withPlugin(missFirst) });
      const response = await startRelay(store, fake.chains).execute(request);
      expect(response).toEqual({ ...executed, result: 'already_executed' });
      expect([fake.sent.length, await countIn('intent')]).toEqual([1, 0]);
    });
  });
});
