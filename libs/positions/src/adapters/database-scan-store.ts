import type {
  DatabaseHandle,
  GasPaymentTable,
  PositionMovementTable,
  PositionScanTable,
  Schema,
} from '@yield-vault/database';
import { sql, type Insertable, type Selectable } from 'kysely';
import type { Address, Hex } from 'viem';
import type { GasPayment, Scan, ScanStore, VaultMovement, WalletKey } from '../ports.js';

// The clock of the database, so that processes on several machines agree on leases.
const now = sql<Date>`now()`;
// PostgreSQL takes 65,535 parameters in one statement; a movement has eight.
const rowsOfInsert = 5_000;

/** Keep scans in the database, for all processes. */
export function createDatabaseScanStore({ db }: Pick<DatabaseHandle, 'db'>): ScanStore {
  const where = ({ chainId, wallet }: WalletKey) =>
    sql<boolean>`chain_id = ${chainId} and wallet = ${wallet.toLowerCase()}`;
  const isFree = sql<boolean>`(lease_until is null or lease_until <= now())`;
  const update = (key: WalletKey) =>
    db.updateTable('position_scan').set({ updated_at: now }).where(where(key));

  return {
    find: async (key) => {
      const row = await db.selectFrom('position_scan').selectAll().where(where(key)).executeTakeFirst();
      return row && toScan(row);
    },
    begin: async (scan) => {
      await db
        .insertInto('position_scan')
        .values({
          chain_id: scan.chainId,
          wallet: scan.wallet.toLowerCase(),
          vaults: scan.vaults,
          next_block: scan.nextBlock,
          target_block: scan.target.number,
          target_hash: scan.target.hash,
        })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    },
    remove: async (key) => {
      await db.deleteFrom('position_scan').where(where(key)).execute();
    },
    addVaults: async (key, vaults) => {
      const added = sql<string[]>`array(select distinct unnest(vaults || ${vaults}::text[]))`;
      await update(key).set({ vaults: added }).execute();
    },
    claim: async (key, owner, leaseSeconds) => {
      const row = await update(key)
        .set({ lease_owner: owner, lease_until: sql<Date>`now() + ${leaseSeconds} * interval '1 second'` })
        .where(isFree)
        .returningAll()
        .executeTakeFirst();
      return row && toScan(row);
    },
    save: (key, owner, { nextBlock, target, firstBlock, movements, payments }) =>
      db.transaction().execute(async (transaction) => {
        const { numUpdatedRows } = await transaction
          .updateTable('position_scan')
          .set({
            next_block: nextBlock,
            target_block: target.number,
            target_hash: target.hash,
            first_block: firstBlock ?? null,
            lease_owner: null,
            lease_until: null,
            updated_at: now,
          })
          .where(where(key))
          .where('lease_owner', '=', owner)
          .executeTakeFirstOrThrow();
        if (numUpdatedRows === 0n) return false;
        const insert = async <Table extends 'position_movement' | 'gas_payment'>(
          table: Table,
          rows: readonly Insertable<Schema[Table]>[],
        ) => {
          for (let from = 0; from < rows.length; from += rowsOfInsert)
            await transaction
              .insertInto(table)
              .values(rows.slice(from, from + rowsOfInsert))
              .onConflict((conflict) => conflict.doNothing())
              .execute();
        };
        await insert(
          'position_movement',
          movements.map((movement) => toMovementRow(key, movement)),
        );
        await insert(
          'gas_payment',
          payments.map((payment) => toPaymentRow(key, payment)),
        );
        return true;
      }),
    release: async (key, owner) => {
      await update(key)
        .set({ lease_owner: null, lease_until: null })
        .where('lease_owner', '=', owner)
        .execute();
    },
    unfinished: async (chainId, limit) => {
      const rows = await db
        .selectFrom('position_scan')
        .selectAll()
        .where('chain_id', '=', BigInt(chainId))
        .whereRef('next_block', '<=', 'target_block')
        .where(isFree)
        .orderBy('updated_at')
        .limit(limit)
        .execute();
      return rows.map(toScan);
    },
    findings: async (key) => {
      const [movements, payments] = await Promise.all([
        db.selectFrom('position_movement').selectAll().where(where(key)).execute(),
        db.selectFrom('gas_payment').selectAll().where(where(key)).execute(),
      ]);
      return { movements: movements.map(toMovement), payments: payments.map(toPayment) };
    },
    price: async (key, movements) => {
      for (const { blockNumber, logIndex, assets } of movements)
        await db
          .updateTable('position_movement')
          .set({ assets: assets ?? null })
          .where(where(key))
          .where('block', '=', blockNumber)
          .where('log_index', '=', logIndex)
          .execute();
    },
  };
}

function toScan(row: Selectable<PositionScanTable>): Scan {
  return {
    chainId: Number(row.chain_id),
    wallet: row.wallet as Address,
    vaults: row.vaults as Address[],
    nextBlock: row.next_block,
    target: { number: row.target_block, hash: row.target_hash as Hex },
    firstBlock: row.first_block ?? undefined,
  };
}

function toMovementRow({ chainId, wallet }: WalletKey, movement: VaultMovement) {
  const { vault, kind, shares, assets = null, blockNumber, logIndex } = movement;
  return {
    chain_id: chainId,
    wallet: wallet.toLowerCase(),
    vault,
    kind,
    shares,
    assets,
    block: blockNumber,
    log_index: logIndex,
  };
}

function toMovement(row: Selectable<PositionMovementTable>): VaultMovement {
  return {
    vault: row.vault as Address,
    kind: row.kind,
    shares: BigInt(row.shares),
    assets: row.assets === null ? undefined : BigInt(row.assets),
    blockNumber: row.block,
    logIndex: row.log_index,
  };
}

function toPaymentRow({ chainId, wallet }: WalletKey, { blockNumber, logIndex, amount }: GasPayment) {
  return { chain_id: chainId, wallet: wallet.toLowerCase(), block: blockNumber, log_index: logIndex, amount };
}

function toPayment({ block, log_index, amount }: Selectable<GasPaymentTable>): GasPayment {
  return { blockNumber: block, logIndex: log_index, amount: BigInt(amount) };
}
