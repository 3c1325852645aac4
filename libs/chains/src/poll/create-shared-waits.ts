import { TransactionPendingError } from '@yield-vault/protocol';
import { z } from 'zod';
import { positiveInteger } from '../config/scalars.js';
import type { Pending } from './wait-or-give-up.js';

/** Calls that may wait at a time in one process. */
export const waitLimitsSchema = z
  .strictObject({
    /** For one user operation or one setup transaction. */
    perIntent: positiveInteger.default(128),
    /** Only calls that start a wait. */
    perWallet: positiveInteger.default(8),
    perClient: positiveInteger.default(256),
    /** Calls that join a wait, of everybody. Fewer than half of those that may run, so that others can start. */
    joined: positiveInteger.default(128),
  })
  .prefault({});

export type WaitLimits = Readonly<z.output<typeof waitLimitsSchema>>;

/** A call that waits, and what it counts towards. */
export interface Wait {
  /** Calls with the same key share one promise. */
  readonly key: string;
  /** The hash of the user operation, or of the setup transaction. */
  readonly intent: string;
  readonly wallet: string;
  /** Counted only where it is known. */
  readonly client: string | undefined;
  /** For the error above a limit. */
  readonly pending: Pending;
}

/** The result of a shared promise; `isFirst` says whether this call started it. */
export interface Waited<T> {
  readonly isFirst: boolean;
  readonly result: T;
}

const retryAfterSeconds = 2;

/**
 * Share one pending promise among calls with the same key. Above a limit, throw `TransactionPendingError` and start
 * nothing.
 *
 * @param limits - by default those of the schema
 */
export function createSharedWaits<T>(limits: WaitLimits = waitLimitsSchema.parse({})) {
  const { perIntent, perWallet, perClient, joined: maxJoined } = limits;
  const running = new Map<string, Promise<T>>();
  const counts = new Map<string, number>();
  const add = (groups: readonly string[], by: number) => {
    for (const group of groups) {
      const count = (counts.get(group) ?? 0) + by;
      if (count === 0) counts.delete(group);
      else counts.set(group, count);
    }
  };

  return async (wait: Wait, start: () => Promise<T>): Promise<Waited<T>> => {
    const { key, intent, wallet, client, pending } = wait;
    const joined = running.get(key);
    const maxByGroup = new Map([[`intent ${intent}`, perIntent]]);
    if (joined) maxByGroup.set('server', maxJoined);
    else maxByGroup.set(`wallet ${wallet.toLowerCase()}`, perWallet);
    if (client !== undefined) maxByGroup.set(`client ${client}`, perClient);
    const full = [...maxByGroup].find(([group, max]) => (counts.get(group) ?? 0) >= max);
    if (full) {
      const detail = `${pending.detail} ${full[1]} calls of this ${full[0].split(' ')[0]} wait already, so this one does not.`;
      throw new TransactionPendingError({ ...pending, detail, retryAfterSeconds });
    }
    const groups = [...maxByGroup.keys()];
    add(groups, 1);
    try {
      if (joined) return { isFirst: false, result: await joined };
      const started = start().finally(() => running.delete(key));
      running.set(key, started);
      return { isFirst: true, result: await started };
    } finally {
      add(groups, -1);
    }
  };
}
