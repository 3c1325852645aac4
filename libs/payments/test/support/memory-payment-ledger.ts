import type {
  LapsedPayment,
  LedgerLimits,
  PaymentKey,
  PaymentLedger,
  PaymentRecord,
} from '../../src/ports.js';

type Row = PaymentRecord & LapsedPayment & { readonly leaseUntilMs: number };

/**
 * A ledger in memory, for tests.
 *
 * @param now - Unix milliseconds
 */
export function createMemoryPaymentLedger(
  { maxInFlightPerPayer = 8, maxInFlight = 1_024, repeatSeconds = 600 }: LedgerLimits = {},
  now: () => number = Date.now,
): PaymentLedger {
  const rows = new Map<string, Row>();

  /** The limit that refuses one more payment. */
  const fullness = (payer: string): 'ledger' | 'payer' | undefined => {
    const open = [...rows.values()].filter((row) => row.state !== 'settled' && !isLapsed(row));
    if (open.length >= maxInFlight) return 'ledger';
    const own = open.filter((row) => row.payer.toLowerCase() === payer.toLowerCase());
    return own.length >= maxInFlightPerPayer ? 'payer' : undefined;
  };
  const isLapsed = ({ leaseUntilMs }: Row) => leaseUntilMs <= now();

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
    reserve(payment, { owner, seconds }) {
      const id = idOf(payment);
      const present = rows.get(id);
      const isFree = present && present.state !== 'settled' && isLapsed(present);
      const isOurs =
        !present || (isFree && (present.state === 'reserved' || present.fingerprint === payment.fingerprint));
      if (!isOurs) {
        const { response, ...used } = present;
        const isRepeated = response && !(present.state === 'settled' && isLapsed(present));
        return Promise.resolve({ kind: 'known', record: { ...used, ...(isRepeated && { response }) } });
      }
      const full = fullness(payment.payer);
      if (full) return Promise.resolve({ kind: 'full', of: full });
      // Another signature of the same nonce may be valid for longer.
      const row: Row = {
        ...{ state: 'reserved', ...present, ...payment },
        ...{ owner, leaseUntilMs: now() + seconds * 1000 },
      };
      rows.set(id, row);
      return Promise.resolve({ kind: 'owned', record: row });
    },
    has: (payment) => Promise.resolve(rows.get(idOf(payment))?.fingerprint === payment.fingerprint),
    keepResponse: (key, { owner, seconds }, response) =>
      Promise.resolve(
        change(key, owner, (row) => ({
          ...row,
          state: 'settling',
          response,
          leaseUntilMs: now() + seconds * 1000,
        })),
      ),
    settle: (key, owner, transaction) =>
      Promise.resolve(
        change(key, owner, (row) => ({
          ...{ ...row, state: 'settled', transaction },
          ...{ leaseUntilMs: now() + repeatSeconds * 1000 },
        })),
      ),
    release(key, owner) {
      change(key, owner, (row) => ({ ...row, leaseUntilMs: now() }));
      return Promise.resolve();
    },
    delete(key, owner, state) {
      const isIt = rows.get(idOf(key))?.state === state;
      return Promise.resolve(isIt && change(key, owner, () => undefined));
    },
    lapsed: (chainId, asset) =>
      Promise.resolve(
        [...rows.values()]
          .filter((row) => row.chainId === chainId && row.asset.toLowerCase() === asset.toLowerCase())
          .filter((row) => row.state === 'settling' && isLapsed(row))
          .sort((one, other) => one.leaseUntilMs - other.leaseUntilMs)
          .slice(0, 100),
      ),
    inFlight() {
      const counts = { reserved: 0, settling: 0, lapsed: 0 };
      for (const row of rows.values())
        if (row.state !== 'settled') counts[isLapsed(row) ? 'lapsed' : row.state]++;
      return Promise.resolve(counts);
    },
    purge() {
      for (const [id, row] of rows)
        if (row.state !== 'settling' && isLapsed(row) && Number(row.validBefore) * 1000 <= now())
          rows.delete(id);
      return Promise.resolve();
    },
  };
}

function idOf({ chainId, asset, payer, nonce }: PaymentKey): string {
  return [chainId, asset, payer, nonce].join(':').toLowerCase();
}
