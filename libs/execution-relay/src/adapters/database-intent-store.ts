import type { DatabaseHandle, IntentTable } from '@yield-vault/database';
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
    db
      .updateTable('intent')
      .set({ updated_at: now })
      .where('intent_id', '=', intentId)
      .where('lease_owner', '=', owner);

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
            .doUpdateSet({ lease_owner: lease.owner, lease_until: until(lease.seconds), updated_at: now })
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
    async renew(intentId, { owner, seconds }) {
      const { numUpdatedRows } = await update(intentId, owner)
        .set({ lease_until: until(seconds) })
        .executeTakeFirstOrThrow();
      return numUpdatedRows > 0n;
    },
    async advance(intentId, owner, transition) {
      const { numUpdatedRows } = await update(intentId, owner)
        .set(toColumns(transition))
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
        .selectAll()
        .where('state', 'in', openStates)
        .where('lease_until', '<=', now)
        .orderBy('lease_until')
        .limit(limit)
        .execute();
      return rows.map(fromRow);
    },
  };
  return store;
}

function toColumns(transition: IntentTransition) {
  const { state, submittedBlock, moves, txHash, response, failure } = transition;
  return {
    state,
    ...(submittedBlock !== undefined && { submitted_block: submittedBlock }),
    ...(moves && { moves: JSON.stringify(moves) }),
    ...(txHash !== undefined && { tx_hash: txHash }),
    ...(response && { response: JSON.stringify(response) }),
    ...(failure && { failure: JSON.stringify(failure) }),
  };
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
  };
}
