import type { DatabaseHandle, PaymentTable } from '@yield-vault/database';
import { sql, type Selectable } from 'kysely';
import type { Hex } from 'viem';
import type { LedgerLimits, PaymentKey, PaymentLedger, PaymentRecord, PaymentsInFlight } from '../ports.js';

type PaymentColumns = Pick<
  Selectable<PaymentTable>,
  'state' | 'fingerprint' | 'tx_hash' | 'response_status' | 'response_type' | 'response'
>;
/** The columns are empty for the two `full` outcomes. */
type ReservationRow = PaymentColumns & { readonly outcome: 'owned' | 'known' | 'full-ledger' | 'full-payer' };

const mostLapsed = 100;

// Leases use the clock of the database, because the clocks of servers differ.
const now = sql<Date>`now()`;
const until = (seconds: number) => sql<Date>`now() + ${seconds} * interval '1 second'`;

/**
 * Keep the payment ledger in the database. It is the only guard against using a payment twice, for all processes of a
 * deployment. The limits count payments in flight.
 */
export function createDatabasePaymentLedger(
  { db }: Pick<DatabaseHandle, 'db'>,
  { maxInFlightPerPayer = 8, maxInFlight = 1_024, repeatSeconds = 600 }: LedgerLimits = {},
): PaymentLedger {
  /** Update a row whose lease the owner still holds. */
  const own = (key: PaymentKey, owner: string) =>
    db
      .updateTable('payment')
      .set({ updated_at: now })
      .where(...is(key))
      .where('lease_owner', '=', owner)
      .where('state', '<>', 'settled');

  return {
    async reserve({ fingerprint, payTo, amount, validBefore, ...key }, { owner, seconds }) {
      const { chain_id, asset, payer, nonce } = columnsOf(key);
      const { rows } = await sql<ReservationRow>`select * from claim_payment(
        ${chain_id}, ${asset}, ${payer}, ${nonce}, ${fingerprint}, ${payTo.toLowerCase()}, ${amount}, ${validBefore},
        ${owner}, ${seconds}, ${maxInFlightPerPayer}, ${maxInFlight}
      )`.execute(db);
      const [row] = rows;
      if (!row) throw new TypeError('claim_payment returns one row');
      if (row.outcome === 'full-ledger') return { kind: 'full', of: 'ledger' };
      if (row.outcome === 'full-payer') return { kind: 'full', of: 'payer' };
      return { kind: row.outcome, record: fromRow(row) };
    },
    async has({ fingerprint, ...key }) {
      const row = await db
        .selectFrom('payment')
        .select('state')
        .where(...is(key))
        .where('fingerprint', '=', fingerprint)
        .executeTakeFirst();
      return row !== undefined;
    },
    async keepResponse(key, { owner, seconds }, { status, contentType, body }) {
      const { numUpdatedRows } = await own(key, owner)
        .set({
          state: 'settling',
          response_status: status,
          response_type: contentType,
          response: body,
          lease_until: until(seconds),
        })
        .executeTakeFirstOrThrow();
      return numUpdatedRows > 0n;
    },
    async settle(key, owner, transaction) {
      const { numUpdatedRows } = await own(key, owner)
        .set({
          state: 'settled',
          tx_hash: transaction,
          lease_owner: null,
          lease_until: until(repeatSeconds),
        })
        .executeTakeFirstOrThrow();
      return numUpdatedRows > 0n;
    },
    async release(key, owner) {
      await own(key, owner).set({ lease_until: now }).execute();
    },
    async delete(key, owner, state) {
      const { numDeletedRows } = await db
        .deleteFrom('payment')
        .where(...is(key))
        .where('lease_owner', '=', owner)
        .where('state', '=', state)
        .executeTakeFirstOrThrow();
      return numDeletedRows > 0n;
    },
    async lapsed(chainId, asset) {
      const rows = await db
        .selectFrom('payment')
        .select(['chain_id', 'asset', 'payer', 'nonce', 'pay_to', 'amount', 'valid_before', 'lease_owner'])
        .where('state', '=', 'settling')
        .where('chain_id', '=', BigInt(chainId))
        .where('asset', '=', asset.toLowerCase())
        .where('lease_until', '<=', now)
        .orderBy('lease_until')
        .limit(mostLapsed)
        .execute();
      return rows.map((row) => ({
        chainId: Number(row.chain_id),
        asset: row.asset as Hex,
        payer: row.payer as Hex,
        nonce: row.nonce as Hex,
        payTo: row.pay_to as Hex,
        amount: BigInt(row.amount),
        validBefore: row.valid_before,
        owner: row.lease_owner ?? '',
      }));
    },
    async inFlight() {
      const { rows } = await sql<{ state: keyof PaymentsInFlight; count: number }>`
        select case when lease_until > now() then state else 'lapsed' end as state, count(*)::integer as count
        from payment where state <> 'settled' group by 1`.execute(db);
      const counts = Object.fromEntries(rows.map(({ state, count }) => [state, count]));
      return { reserved: 0, settling: 0, lapsed: 0, ...counts };
    },
    async purge() {
      await db
        .deleteFrom('payment')
        .where('state', '<>', 'settling')
        .where('lease_until', '<=', now)
        .where(sql<boolean>`valid_before <= extract(epoch from now())`)
        .execute();
    },
  };
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

function fromRow(row: PaymentColumns): PaymentRecord {
  return {
    fingerprint: row.fingerprint as Hex,
    state: row.state,
    ...(row.response !== null &&
      row.response_status !== null &&
      row.response_type !== null && {
        response: { status: row.response_status, contentType: row.response_type, body: row.response },
      }),
    transaction: (row.tx_hash ?? undefined) as Hex | undefined,
  };
}
