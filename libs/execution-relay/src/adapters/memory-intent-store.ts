import type { IntentState } from '@yield-vault/database';
import type { Hex } from 'viem';
import type { IntentRecord, IntentStore } from '../ports.js';

type Row = IntentRecord & { readonly owner: string; readonly leaseUntilMs: number };

const finalStates = new Set<IntentState>(['confirmed', 'failed', 'expired', 'cancelled']);

/**
 * Make a ledger that forgets everything with the process: for tests and for trying the library out. It does not
 * protect against double submission after a restart; `createDatabaseIntentStore` does.
 *
 * @param now - Unix milliseconds
 */
export function createMemoryIntentStore(now: () => number = Date.now): IntentStore {
  const rows = new Map<Hex, Row>();
  const isFree = (row: Row) => !finalStates.has(row.state) && row.leaseUntilMs <= now();
  const change = (intentId: Hex, owner: string, changes: Partial<Row>) => {
    const row = rows.get(intentId);
    if (row?.owner !== owner) return Promise.resolve(false);
    rows.set(intentId, { ...row, ...changes });
    return Promise.resolve(true);
  };
  return {
    find: (intentId) => Promise.resolve(rows.get(intentId)),
    claim(intent, lease) {
      const present = rows.get(intent.intentId);
      const owned = !present || isFree(present);
      if (owned) {
        const leaseUntilMs = now() + lease.seconds * 1000;
        // Rows stand in the order of their last claim: the oldest first.
        rows.delete(intent.intentId);
        rows.set(intent.intentId, {
          state: 'reserved',
          ...intent,
          ...present,
          owner: lease.owner,
          leaseUntilMs,
        });
      }
      return Promise.resolve({ owned, record: rows.get(intent.intentId) as IntentRecord });
    },
    renew: (intentId, { owner, seconds }) =>
      change(intentId, owner, { leaseUntilMs: now() + seconds * 1000 }),
    advance: (intentId, owner, transition) => change(intentId, owner, transition),
    async release(intentId, owner) {
      await change(intentId, owner, { leaseUntilMs: 0 });
    },
    forget(intentId, owner) {
      if (rows.get(intentId)?.owner === owner) rows.delete(intentId);
      return Promise.resolve();
    },
    discard({ intentId, state, txHash }) {
      const row = rows.get(intentId);
      if (row?.state === state && row.txHash === txHash) rows.delete(intentId);
      return Promise.resolve();
    },
    unsettled: (limit) => Promise.resolve([...rows.values()].filter(isFree).slice(0, limit)),
  };
}
