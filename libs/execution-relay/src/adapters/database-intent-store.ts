import type { DatabaseHandle, IntentTable } from '@yield-vault/protocol/database';
import type { ExecuteResponse, WireUserOperation } from '@yield-vault/protocol';
import { sql, type Selectable } from 'kysely';
import type { Address, Hex } from 'viem';
import type { IntentFailure, IntentRecord, IntentStore, IntentTransition, VaultMove } from '../ports.js';

// The clock of the database, so that processes on several machines agree on leases.
const now = sql<Date>`now()`;
const until = (seconds: number) => sql<Date>`now() + ${seconds} * interval '1 second'`;
const openStates = ['reserved', 'simulated', 'submitted', 'included'] as const;

/** Keep the intent ledger in the database: the only gate against double submission, for all processes. */
export function createDatabaseIntentStore({ db }: Pick<DatabaseHandle, 'db'>): IntentStore {
  const update = (intentId: Hex, owner: string) =>
    db.updateTable('intent').where('intent_id', '=', intentId).where('lease_owner', '=', owner);

  const find = async (intentId: Hex) => {
    const row = await db
      .selectFrom('intent')
      .selectAll()
      .where('intent_id', '=', intentId)
      .executeTakeFirst();
    return row && fromRow(row);
  };

  const store: IntentStore = {
    find,
    async reserve(intent, lease) {
      const reserved = await db
        .insertInto('intent')
        .values({
          intent_id: intent.intentId,
          chain_id: intent.chainId,
          wallet: intent.wallet.toLowerCase(),
          state: 'reserved',
          user_op_hash: intent.userOpHash,
          nonce: intent.nonce,
          expiry: intent.expiry,
          user_operation: JSON.stringify(intent.userOperation),
          lease_owner: lease.owner,
          lease_until: until(lease.seconds),
        })
        .onConflict((conflict) =>
          conflict
            .column('intent_id')
            .doUpdateSet({ lease_owner: lease.owner, lease_until: until(lease.seconds) })
            .where('intent.state', 'in', openStates)
            .where('intent.lease_until', '<=', now),
        )
        .returningAll()
        .executeTakeFirst();
      if (reserved) return { owned: true, record: fromRow(reserved) };
      const record = await find(intent.intentId);
      // Its owner has just deleted it.
      return record ? { owned: false, record } : store.reserve(intent, lease);
    },
    async takeOver(intentId, lease) {
      const row = await db
        .updateTable('intent')
        .set({ lease_owner: lease.owner, lease_until: until(lease.seconds) })
        .where('intent_id', '=', intentId)
        .where('state', 'in', openStates)
        .where('lease_until', '<=', now)
        .returningAll()
        .executeTakeFirst();
      return row && fromRow(row);
    },
    async renew(intentId, { owner, seconds }) {
      const { numUpdatedRows } = await update(intentId, owner)
        .set({ lease_until: until(seconds) })
        .executeTakeFirstOrThrow();
      return numUpdatedRows > 0n;
    },
    async advance(intentId, owner, transition) {
      const { numUpdatedRows } = await update(intentId, owner)
        .set({ ...toColumns(transition), updated_at: now })
        .executeTakeFirstOrThrow();
      return numUpdatedRows > 0n;
    },
    async release(intentId, owner) {
      await update(intentId, owner).set({ lease_until: now }).execute();
    },
    async deleteReservation(intentId, owner) {
      await db
        .deleteFrom('intent')
        .where('intent_id', '=', intentId)
        .where('lease_owner', '=', owner)
        .execute();
    },
    async deleteLost({ intentId, state, txHash }) {
      await db
        .deleteFrom('intent')
        .where('intent_id', '=', intentId)
        .where('state', '=', state)
        .where('tx_hash', 'is not distinct from', txHash ?? null)
        .execute();
    },
    async unresolved(limit) {
      const rows = await db
        .selectFrom('intent')
        .select('intent_id')
        .where('state', 'in', openStates)
        .where('lease_until', '<=', now)
        .orderBy('lease_until')
        .limit(limit)
        .execute();
      return rows.map(({ intent_id }) => intent_id as Hex);
    },
    async ofWallet(wallet, limit) {
      const rows = await db
        .selectFrom('intent')
        .selectAll()
        .where('wallet', '=', wallet.toLowerCase())
        .where('state', 'not in', ['reserved', 'simulated'])
        .orderBy('created_at', 'desc')
        .limit(limit)
        .execute();
      return rows.map(fromRow);
    },
  };
  return store;
}

function toColumns(transition: IntentTransition) {
  const { state } = transition;
  switch (state) {
    case 'submitted': {
      const { submittedBlock } = transition;
      if (submittedBlock === undefined) return { state, tx_hash: null, response: null };
      return { state, submitted_block: submittedBlock, moves: JSON.stringify(transition.moves) };
    }
    case 'included':
    case 'confirmed': {
      const { txHash, moves, response } = transition;
      const result = { tx_hash: txHash, moves: JSON.stringify(moves), response: JSON.stringify(response) };
      return { state, ...result, ...(state === 'included' && { lease_until: now }) };
    }
    case 'failed':
      return { state, failure: JSON.stringify(transition.failure), tx_hash: transition.txHash ?? null };
    default:
      return { state };
  }
}

function fromRow(row: Selectable<IntentTable>): IntentRecord {
  return {
    intentId: row.intent_id as Hex,
    chainId: Number(row.chain_id),
    wallet: row.wallet as Address,
    userOpHash: row.user_op_hash as Hex,
    nonce: BigInt(row.nonce),
    expiry: Number(row.expiry),
    userOperation: row.user_operation as WireUserOperation,
    state: row.state,
    ...(row.submitted_block !== null && { submittedBlock: row.submitted_block }),
    ...(row.moves !== null && { moves: row.moves as readonly VaultMove[] }),
    ...(row.tx_hash !== null && { txHash: row.tx_hash as Hex }),
    ...(row.response !== null && { response: row.response as ExecuteResponse }),
    ...(row.failure !== null && { failure: row.failure as IntentFailure }),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
