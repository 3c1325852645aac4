import type { DatabaseHandle, PaymentTable, Schema } from '@yield-vault/database';
import { sql, type Kysely, type Selectable } from 'kysely';
import type { Hex } from 'viem';
import type { LedgerLimits, PaymentKey, PaymentLedger, PaymentRecord } from '../ports.js';

// The clock of the database, so that processes on several machines agree on leases.
const now = sql<Date>`now()`;
const until = (seconds: number) => sql<Date>`now() + ${seconds} * interval '1 second'`;

/**
 * Keep the payment ledger in the database: the one gate against using a payment twice, for every process of a
 * deployment. Payments in flight are bounded; settled ones are few, since each was paid for, and go when they expire.
 */
export function createDatabasePaymentLedger(
  { db }: Pick<DatabaseHandle, 'db'>,
  { maxInFlightPerPayer = 8, maxInFlight = 1_024 }: LedgerLimits = {},
): PaymentLedger {
  /** A row that is still ours. */
  const own = (key: PaymentKey, owner: string) =>
    db
      .updateTable('payment')
      .set({ updated_at: now })
      .where(...is(key))
      .where('lease_owner', '=', owner)
      .where('state', '<>', 'settled');

  return {
    async claim({ fingerprint, expiresAtMs, ...key }, { owner, seconds }) {
      const expiresAt = new Date(expiresAtMs);
      const lease = { lease_owner: owner, lease_until: until(seconds), updated_at: now };
      return db.transaction().execute(async (transaction) => {
        // What one payer does comes one after the other, so that its limit holds and a row is not made twice.
        await sql`select pg_advisory_xact_lock(hashtextextended(${`payment ${key.payer.toLowerCase()}`}, 0))`.execute(
          transaction,
        );
        const present = await transaction
          .selectFrom('payment')
          .selectAll()
          .select(sql<boolean>`lease_until <= now()`.as('is_left'))
          .where(...is(key))
          // Its owner may be about to go on with it.
          .forUpdate()
          .executeTakeFirst();
        if (!present) {
          const full = await fullness(transaction, key, { maxInFlightPerPayer, maxInFlight });
          if (full) return { kind: 'full', of: full };
          const row = { ...columnsOf(key), fingerprint, state: 'reserved', ...lease } as const;
          await transaction
            .insertInto('payment')
            .values({ ...row, expires_at: expiresAt })
            .execute();
          return { kind: 'owned', record: { fingerprint, state: 'reserved' } };
        }
        const isFree = present.state !== 'settled' && present.is_left;
        const isOurs = isFree && (present.state === 'reserved' || present.fingerprint === fingerprint);
        if (!isOurs) return { kind: 'known', record: fromRow(present) };
        await transaction
          .updateTable('payment')
          // Another signature of the same nonce may be valid for longer than the first one was.
          .set({ fingerprint, expires_at: expiresAt, ...lease })
          .where(...is(key))
          .execute();
        return { kind: 'owned', record: { ...fromRow(present), fingerprint } };
      });
    },
    async keepAnswer(key, { owner, seconds }, { status, contentType, body }) {
      const { numUpdatedRows } = await own(key, owner)
        .set({
          state: 'settling',
          answer_status: status,
          answer_type: contentType,
          answer: body,
          lease_until: until(seconds),
        })
        .executeTakeFirstOrThrow();
      return numUpdatedRows > 0n;
    },
    async settle(key, owner, transaction) {
      await own(key, owner).set({ state: 'settled', tx_hash: transaction, lease_owner: null }).execute();
    },
    async release(key, owner) {
      await own(key, owner).set({ lease_until: now }).execute();
    },
    async forget(key, owner, state) {
      await db
        .deleteFrom('payment')
        .where(...is(key))
        .where('lease_owner', '=', owner)
        .where('state', '=', state)
        .execute();
    },
    async purge() {
      await db.deleteFrom('payment').where('expires_at', '<=', now).execute();
    },
  };
}

/** What stands in the way of one more payment. */
async function fullness(
  db: Kysely<Schema>,
  { payer }: PaymentKey,
  limits: Required<LedgerLimits>,
): Promise<'ledger' | 'payer' | undefined> {
  const { all, own } = await db
    .selectFrom('payment')
    .select((select) => [
      select.fn.countAll<bigint>().as('all'),
      select.fn.countAll<bigint>().filterWhere('payer', '=', payer.toLowerCase()).as('own'),
    ])
    .where('state', '<>', 'settled')
    .executeTakeFirstOrThrow();
  if (all >= limits.maxInFlight) return 'ledger';
  return own >= limits.maxInFlightPerPayer ? 'payer' : undefined;
}

function columnsOf({ chainId, asset, payer, nonce }: PaymentKey) {
  return {
    chain_id: BigInt(chainId),
    asset: asset.toLowerCase(),
    payer: payer.toLowerCase(),
    nonce: nonce.toLowerCase(),
  };
}

function is(key: PaymentKey) {
  const { chain_id, asset, payer, nonce } = columnsOf(key);
  return [
    sql<boolean>`payment.chain_id = ${chain_id} and payment.asset = ${asset} and payment.payer = ${payer} and payment.nonce = ${nonce}`,
  ] as const;
}

function fromRow(row: Selectable<PaymentTable>): PaymentRecord {
  return {
    fingerprint: row.fingerprint as Hex,
    state: row.state,
    ...(row.answer !== null &&
      row.answer_status !== null &&
      row.answer_type !== null && {
        answer: { status: row.answer_status, contentType: row.answer_type, body: row.answer },
      }),
    ...(row.tx_hash !== null && { transaction: row.tx_hash as Hex }),
  };
}
