import { randomUUID } from 'node:crypto';
import { appendFileSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { parseAmount } from '@yield-vault/protocol';
import { z } from 'zod';
import type { KeySettings } from '../settings.js';
import { ToolError } from '../tool-result.js';

const windowMs = 86_400_000;
// Tokens of one symbol differ in decimals between chains, so amounts are summed in the finest units.
const decimals = 18;
const entry = z.strictObject({
  id: z.uuid(),
  at: z.int(),
  asset: z.string(),
  amount: z
    .string()
    .regex(/^-?\d+$/)
    .transform(BigInt),
});

/**
 * Counts a deposit, and returns how to give it back when it certainly was not sent.
 *
 * @throws {ToolError} `MAX_DAILY_EXCEEDED`, or `STATE_FILE_UNUSABLE`
 */
export type Spend = (symbol: string, amount: string) => () => void;

/**
 * Create the count of the deposits of the last 24 hours. Each is appended to a file before it is judged, by the sum up to its
 * own line: two servers on one file never exceed the limit, and a crash forgets nothing.
 */
export function createDailyTotal(
  { maxDaily, stateFile }: Pick<KeySettings, 'maxDaily' | 'stateFile'>,
  now = Date.now,
): Spend {
  return (symbol, amount) => {
    const asset = symbol.toUpperCase();
    const own = { id: randomUUID(), at: now(), asset };
    const units = parseAmount(amount, decimals);
    const append = (counted: bigint) => {
      const line = JSON.stringify({ ...own, amount: String(counted) });
      appendFileSync(stateFile, `${line}\n`, { mode: 0o600, flush: true });
    };
    const giveBack = () => {
      try {
        append(-units);
      } catch (error) {
        // It stays counted, which is safe.
        console.error(error);
      }
    };
    let sum = 0n;
    try {
      mkdirSync(dirname(stateFile), { recursive: true });
      append(units);
      for (const line of readFileSync(stateFile, 'utf8').trimEnd().split('\n')) {
        const read = entry.parse(JSON.parse(line));
        if (read.asset === asset && read.at > own.at - windowMs) sum += read.amount;
        if (read.id === own.id) break;
      }
    } catch (error) {
      throw new ToolError(
        'STATE_FILE_UNUSABLE',
        `STATE_FILE ${stateFile} cannot be read or written, so the daily total is unknown. Nothing was signed.`,
        'The user must make it readable and writable. If its content is damaged: delete it after 24 hours.',
        error,
      );
    }
    const most = maxDaily[asset];
    if (most !== undefined && sum <= parseAmount(most, decimals, 'MAX_DAILY')) return giveBack;
    giveBack();
    throw new ToolError(
      'MAX_DAILY_EXCEEDED',
      `amount is ${amount} ${symbol}; MAX_DAILY allows ${most ?? 'no'} ${symbol} in 24 hours, and earlier deposits count.`,
      'Deposit less, or later. Only the user can change MAX_DAILY.',
    );
  };
}
