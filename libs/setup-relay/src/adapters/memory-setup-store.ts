import type { Hex } from 'viem';
import type { SetupStore, SetupSubmission } from '../ports.js';

type Row = SetupSubmission & { readonly owner?: string; readonly leaseUntilMs: number };

/**
 * Make a store that forgets everything with the process: for tests and for a single process without a database.
 *
 * @param now - Unix milliseconds
 */
export function createMemorySetupStore(now: () => number = Date.now): SetupStore {
  const rows = new Map<Hex, Row>();
  const change = (txHash: Hex, changes: Partial<Row>) => {
    const row = rows.get(txHash);
    if (row) rows.set(txHash, { ...row, ...changes });
    return Promise.resolve();
  };
  const owns = (txHash: Hex, owner: string) => rows.get(txHash)?.owner === owner;
  return {
    find: (txHash) => Promise.resolve(rows.get(txHash)),
    claim(key, lease) {
      const present = rows.get(key.txHash);
      const free = !present || (!present.response && present.leaseUntilMs <= now());
      if (free) {
        const leaseUntilMs = now() + lease.seconds * 1000;
        rows.set(key.txHash, { state: 'claimed', ...key, ...present, owner: lease.owner, leaseUntilMs });
      }
      return Promise.resolve({ owned: free, submission: rows.get(key.txHash) as SetupSubmission });
    },
    renew: (txHash, { owner, seconds }) =>
      owns(txHash, owner) ? change(txHash, { leaseUntilMs: now() + seconds * 1000 }) : Promise.resolve(),
    release: (txHash, owner) =>
      owns(txHash, owner) ? change(txHash, { leaseUntilMs: 0 }) : Promise.resolve(),
    markSubmitted: (txHash) =>
      rows.get(txHash)?.state === 'claimed' ? change(txHash, { state: 'submitted' }) : Promise.resolve(),
    forget(txHash, owner) {
      if (owns(txHash, owner)) rows.delete(txHash);
      return Promise.resolve();
    },
    complete: (txHash, response) => change(txHash, { state: 'confirmed', response }),
    discard(txHash) {
      if (rows.get(txHash)?.state === 'confirmed') rows.delete(txHash);
      return Promise.resolve();
    },
  };
}
