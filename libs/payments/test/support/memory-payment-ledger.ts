import type { LedgerLimits, PaymentKey, PaymentLedger, PaymentRecord } from '../../src/ports.js';

type Row = PaymentRecord & {
  readonly payer: string;
  readonly owner: string;
  readonly leaseUntilMs: number;
  readonly expiresAtMs: number;
};

/**
 * A ledger in memory, for tests.
 *
 * @param now - Unix milliseconds
 */
export function createMemoryPaymentLedger(
  { maxInFlightPerPayer = 8, maxInFlight = 1_024 }: LedgerLimits = {},
  now: () => number = Date.now,
): PaymentLedger {
  const rows = new Map<string, Row>();

  /** The limit that refuses one more payment. */
  const fullness = (payer: string): 'ledger' | 'payer' | undefined => {
    const open = [...rows.values()].filter(({ state }) => state !== 'settled');
    if (open.length >= maxInFlight) return 'ledger';
    return open.filter((row) => row.payer === payer).length >= maxInFlightPerPayer ? 'payer' : undefined;
  };

  /** Change a row whose lease the owner still holds. */
  const change = (key: PaymentKey, owner: string, to: (row: Row) => Row | undefined): boolean => {
    const id = idOf(key);
    const row = rows.get(id);
    if (row?.owner !== owner || row.state === 'settled') return false;
    const next = to(row);
    if (next) rows.set(id, next);
    else rows.delete(id);
    return true;
  };

  return {
    claim({ fingerprint, expiresAtMs, ...key }, { owner, seconds }) {
      const id = idOf(key);
      const present = rows.get(id);
      const payer = key.payer.toLowerCase();
      const full = present ? undefined : fullness(payer);
      if (full) return Promise.resolve({ kind: 'full', of: full });
      const isFree = present && present.state !== 'settled' && present.leaseUntilMs <= now();
      const isOurs =
        !present || (isFree && (present.state === 'reserved' || present.fingerprint === fingerprint));
      if (!isOurs) return Promise.resolve({ kind: 'known', record: present });
      const lease = { owner, leaseUntilMs: now() + seconds * 1000 };
      // Another signature of the same nonce may be valid for longer.
      const row: Row = { state: 'reserved', payer, ...present, fingerprint, expiresAtMs, ...lease };
      rows.set(id, row);
      return Promise.resolve({ kind: 'owned', record: row });
    },
    keepResponse: (key, { owner, seconds }, response) =>
      Promise.resolve(
        change(key, owner, (row) => ({
          ...row,
          state: 'settling',
          response,
          leaseUntilMs: now() + seconds * 1000,
        })),
      ),
    settle(key, owner, transaction) {
      change(key, owner, (row) => ({ ...row, state: 'settled', transaction }));
      return Promise.resolve();
    },
    release(key, owner) {
      change(key, owner, (row) => ({ ...row, leaseUntilMs: 0 }));
      return Promise.resolve();
    },
    forget(key, owner, state) {
      change(key, owner, (row) => (row.state === state ? undefined : row));
      return Promise.resolve();
    },
    purge() {
      for (const [id, row] of rows) if (row.expiresAtMs <= now()) rows.delete(id);
      return Promise.resolve();
    },
  };
}

function idOf({ chainId, asset, payer, nonce }: PaymentKey): string {
  return [chainId, asset, payer, nonce].join(':').toLowerCase();
}
