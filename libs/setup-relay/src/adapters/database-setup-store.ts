import type { DatabaseHandle, SetupSubmissionTable } from '@yield-vault/database';
import type { SetupRelayResponse } from '@yield-vault/protocol';
import { sql, type Selectable } from 'kysely';
import type { Address, Hex } from 'viem';
import type { SetupStore, SetupSubmission } from '../ports.js';

// The clock of the database, so that processes on several machines agree on leases.
const now = sql<Date>`now()`;
const until = (seconds: number) => sql<Date>`now() + ${seconds} * interval '1 second'`;

/** Keep relayed setup transactions in the database, shared by every process of a deployment. */
export function createDatabaseSetupStore({ db }: Pick<DatabaseHandle, 'db'>): SetupStore {
  const update = (txHash: Hex) =>
    db.updateTable('setup_submission').set({ updated_at: now }).where('tx_hash', '=', txHash);

  const find = async (txHash: Hex) => {
    const row = await db
      .selectFrom('setup_submission')
      .selectAll()
      .where('tx_hash', '=', txHash)
      .executeTakeFirst();
    return row && fromRow(row);
  };

  const store: SetupStore = {
    find,
    async reserve(key, lease) {
      const reserved = await db
        .insertInto('setup_submission')
        .values({
          tx_hash: key.txHash,
          chain_id: key.chainId,
          wallet: key.wallet.toLowerCase(),
          ticket_id: key.ticketId,
          state: 'reserved',
          lease_owner: lease.owner,
          lease_until: until(lease.seconds),
        })
        .onConflict((conflict) =>
          conflict
            .column('tx_hash')
            .doUpdateSet({ lease_owner: lease.owner, lease_until: until(lease.seconds), updated_at: now })
            .where('setup_submission.state', '!=', 'confirmed')
            .where('setup_submission.lease_until', '<=', now),
        )
        .returningAll()
        .executeTakeFirst();
      if (reserved) return { owned: true, submission: fromRow(reserved) };
      const submission = await find(key.txHash);
      // Its owner has just deleted it.
      return submission ? { owned: false, submission } : store.reserve(key, lease);
    },
    async renew(txHash, { owner, seconds }) {
      await update(txHash)
        .set({ lease_until: until(seconds) })
        .where('lease_owner', '=', owner)
        .execute();
    },
    async release(txHash, owner) {
      await update(txHash).set({ lease_until: now }).where('lease_owner', '=', owner).execute();
    },
    async markSubmitted(txHash) {
      await update(txHash).set({ state: 'submitted' }).where('state', '=', 'reserved').execute();
    },
    async deleteReservation(txHash, owner) {
      await db
        .deleteFrom('setup_submission')
        .where('tx_hash', '=', txHash)
        .where('lease_owner', '=', owner)
        .execute();
    },
    async complete(txHash, response) {
      await update(txHash)
        .set({ state: 'confirmed', response: JSON.stringify(response) })
        .execute();
    },
    async reopen(txHash) {
      await update(txHash)
        .set({ state: 'submitted', response: null, lease_until: now })
        .where('state', '=', 'confirmed')
        .execute();
    },
    async deleteLost(txHash) {
      await db
        .deleteFrom('setup_submission')
        .where('tx_hash', '=', txHash)
        .where('state', '=', 'confirmed')
        .execute();
    },
  };
  return store;
}

function fromRow(row: Selectable<SetupSubmissionTable>): SetupSubmission {
  return {
    txHash: row.tx_hash as Hex,
    chainId: Number(row.chain_id),
    wallet: row.wallet as Address,
    ticketId: row.ticket_id as Hex,
    state: row.state,
    response: (row.response ?? undefined) as SetupRelayResponse | undefined,
  };
}
