import type { DatabaseHandle, IntentArchiveTable, IntentTable } from '@yield-vault/database';
import type { ExecuteResponse, WireUserOperation } from '@yield-vault/protocol';
import { sql, type Selectable } from 'kysely';
import type { Address, Hex } from 'viem';
import type { DepositLimits } from './deposit-limits.js';
import { deleteArchived, findArchived, findArchivedOperation, listOfWallet } from './intent-archive.js';
import type {
  IntentFailure,
  IntentRecord,
  IntentStore,
  IntentTransition,
  Reservation,
  VaultMove,
} from '../ports.js';

// The clock of the database, so that processes on several machines agree on leases.
const now = sql<Date>`now()`;
const until = (seconds: number) => sql<Date>`now() + ${seconds} * interval '1 second'`;
const openStates = ['reserved', 'simulated', 'submitted', 'included'] as const;

/** The most open rows. An honest wallet needs few: the intents of one nonce exclude each other. */
export interface OpenIntentLimits {
  readonly perNonce: number;
  readonly perWallet: number;
}

/**
 * Keep the intent ledger in the database: the only gate against double submission, for all processes.
 *
 * @param limits - may refuse to store a deposit as submitted; without them, nothing does
 */
export function createDatabaseIntentStore(
  { db }: Pick<DatabaseHandle, 'db'>,
  { perNonce, perWallet }: OpenIntentLimits = { perNonce: 2, perWallet: 8 },
  limits?: Pick<DepositLimits, 'submit'>,
): IntentStore {
  const update = (intentId: Hex, owner: string, within = db) =>
    within.updateTable('intent').where('intent_id', '=', intentId).where('lease_owner', '=', owner);

  const findDuplicate = async (intentId: Hex): Promise<IntentRecord | undefined> => {
    const row = await db
      .selectFrom('intent_duplicate as duplicate')
      .innerJoin('intent', 'intent.intent_id', 'duplicate.duplicate_of')
      .selectAll('intent')
      .select(['duplicate.expiry as own_expiry', 'duplicate.created_at as own_created_at'])
      .where('duplicate.intent_id', '=', intentId)
      .executeTakeFirst();
    if (!row) return undefined;
    const submitted = fromRow(row);
    return {
      ...submitted,
      intentId,
      expiry: Number(row.own_expiry),
      createdAt: row.own_created_at,
      duplicateOf: submitted.intentId,
    };
  };

  const reserveOpen: IntentStore['reserve'] = async (
    { intentId, chainId, wallet, userOpHash, nonce, expiry, userOperation },
    lease,
  ) => {
    const { rows } = await sql<Selectable<IntentTable> & Pick<Reservation, 'outcome'>>`
      select outcome, (existing).* from reserve_intent(
        ${intentId}, ${chainId}, ${wallet.toLowerCase()}, ${userOpHash}, ${nonce}, ${expiry},
        ${JSON.stringify(userOperation)}, ${lease.owner}, ${lease.seconds}, ${perNonce}, ${perWallet}
      )`.execute(db);
    const [row] = rows;
    if (!row) throw new TypeError('reserve_intent returns one row');
    return { outcome: row.outcome, record: fromRow(row) };
  };

  const store: IntentStore = {
    async find(intentId) {
      const row = await db
        .selectFrom('intent')
        .selectAll()
        .where('intent_id', '=', intentId)
        .executeTakeFirst();
      if (row) return fromRow(row);
      const duplicate = await findDuplicate(intentId);
      if (duplicate) return duplicate;
      const archived = await findArchived(db, intentId);
      return archived && fromRow(archived);
    },
    async restoredAt() {
      const row = await db
        .selectFrom('ledger_restore')
        .select('restored_at')
        .orderBy('restored_at', 'desc')
        .executeTakeFirst();
      return row?.restored_at;
    },
    // No race: the move of a row commits before a reservation of its key can insert, so the second search sees it.
    async reserve(intent, lease) {
      const archived = await findArchivedOperation(db, intent);
      if (archived) return { outcome: 'known', record: fromRow(archived) };
      const reservation = await reserveOpen(intent, lease);
      if (reservation.record.state !== 'reserved') return reservation;
      const moved = await findArchivedOperation(db, intent);
      if (!moved) return reservation;
      await store.deleteReservation(intent.intentId, lease.owner);
      return { outcome: 'known', record: fromRow(moved) };
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
      const store = async (within: typeof db) => {
        const { numUpdatedRows } = await update(intentId, owner, within)
          .set({ ...toColumns(transition), updated_at: now })
          .executeTakeFirstOrThrow();
        return numUpdatedRows > 0n;
      };
      const deposit = depositOf(transition);
      return limits && deposit ? limits.submit({ intentId, ...deposit }, store) : store(db);
    },
    async release(intentId, owner) {
      await update(intentId, owner).set({ lease_until: now }).execute();
    },
    async deleteReservation(intentId, owner) {
      const { numDeletedRows } = await db
        .deleteFrom('intent')
        .where('intent_id', '=', intentId)
        .where('lease_owner', '=', owner)
        .executeTakeFirstOrThrow();
      return numDeletedRows > 0n;
    },
    async deleteLost(record) {
      const { intentId, state, txHash } = record;
      await db
        .deleteFrom('intent')
        .where('intent_id', '=', intentId)
        .where('state', '=', state)
        .where('tx_hash', 'is not distinct from', txHash ?? null)
        .execute();
      await deleteArchived(db, record);
    },
    // The index intent_unsettled gives the order. Each row costs one index probe: 0.3 s for 100,000 open rows.
    async unresolved({ chainId, confirmations }, limit) {
      const { followerSilentSeconds } = await import('@yield-vault/database');
      const { rows } = await sql<{ intent_id: Hex; tx_hash: Hex | null }>`
        with followed as (
          select block from followed_chain
          where chain_id = ${chainId} and seen_at > now() - ${followerSilentSeconds} * interval '1 second'
        )
        select intent_id, (
          select tx_hash from user_operation own
          where own.chain_id = intent.chain_id and own.user_op_hash = intent.user_op_hash
        ) from intent
        where chain_id = ${chainId} and lease_until <= now()
          and state in ('reserved', 'simulated', 'submitted', 'included') and case
            when state in ('reserved', 'simulated') or not exists (select from followed) then true
            when state = 'submitted' then expiry < extract(epoch from now()) or exists (
              select from user_operation use
              where use.chain_id = intent.chain_id and use.wallet = intent.wallet and use.nonce = intent.nonce
            )
            else not exists (
              select from user_operation own
              where own.chain_id = intent.chain_id and own.user_op_hash = intent.user_op_hash
                and own.tx_hash = intent.tx_hash and own.block > (select block - ${confirmations} from followed)
            )
          end
        order by lease_until limit ${limit}`.execute(db);
      return rows.map(({ intent_id: intentId, tx_hash: seenIn }) => ({
        intentId,
        seenIn: seenIn ?? undefined,
      }));
    },
    async ofWallet(request) {
      const { rows, nextCursor } = await listOfWallet(db, request);
      return { records: rows.map(fromRow), nextCursor };
    },
  };
  return store;
}

/** The deposit that a transition submits. */
function depositOf(transition: IntentTransition) {
  if (transition.state !== 'submitted' || transition.submittedBlock === undefined) return undefined;
  const move = transition.moves.find(({ hook }) => hook === 'deposit');
  return move && { chain: transition.chain, vaultId: move.vaultId };
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

type RecordRow = Omit<Selectable<IntentArchiveTable>, 'duplicate_of'>;

function fromRow(row: RecordRow & { readonly duplicate_of?: string | null }): IntentRecord {
  return {
    intentId: row.intent_id as Hex,
    chainId: Number(row.chain_id),
    wallet: row.wallet as Address,
    userOpHash: row.user_op_hash as Hex,
    nonce: BigInt(row.nonce),
    expiry: Number(row.expiry),
    userOperation: row.user_operation as WireUserOperation,
    state: row.state,
    submittedBlock: row.submitted_block ?? undefined,
    moves: (row.moves ?? undefined) as readonly VaultMove[] | undefined,
    txHash: (row.tx_hash ?? undefined) as Hex | undefined,
    response: (row.response ?? undefined) as ExecuteResponse | undefined,
    failure: (row.failure ?? undefined) as IntentFailure | undefined,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    duplicateOf: (row.duplicate_of ?? undefined) as Hex | undefined,
  };
}
