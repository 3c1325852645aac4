import { setTimeout as wait } from 'node:timers/promises';
import { textOf } from '../io.js';

const deadlineMs = 30_000;
const cureOfRate =
  'The provider limits the rate: run the doctor again, or lower <CHAIN>_LOG_RATE while a worker reads the past.';

/** What a check found. */
export interface Finding {
  readonly state: 'ok' | 'warning' | 'failed';
  readonly cause: string;
}

/** A check of one thing that a deployment relies on: its name, its subject, the cure of a failure or warning, and the run. */
export type Check = readonly [check: string, subject: string, cure: string, run: () => Promise<Finding>];

/** A row of the table, in this order. `state` may also be `skipped`; `cure` is empty when nothing is to be done. */
export type Result = Readonly<Record<'check' | 'subject' | 'state' | 'cause' | 'cure', string>>;

/** Rate a cause: failed, warning or ok. */
export const judge = (cause: string, isFailed = false, isDoubtful = false): Finding => ({
  state: isFailed ? 'failed' : isDoubtful ? 'warning' : 'ok',
  cause,
});

/** Run checks one after the other, because providers limit rates. Each has a deadline of its own. */
export async function runChecks(checks: readonly Check[], isNodeDown = false): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (const [check, subject, cure, run] of checks) {
    if (isNodeDown) {
      results.push({ check, subject, state: 'skipped', cause: 'the node failed', cure: '' });
      continue;
    }
    const late = judge(`no result within ${deadlineMs / 1_000} s`, true);
    const result = run().catch((error: unknown) => judge(textOf(error), true));
    const found = await Promise.race([result, wait(deadlineMs, late, { ref: false })]);
    const cause = found.cause.replace(/\s+/g, ' ');
    const isBusy = /rate limit exceeded|HTTP status 429/.test(cause);
    const state = isBusy ? 'warning' : found.state;
    results.push({ check, subject, state, cause, cure: isBusy ? cureOfRate : state === 'ok' ? '' : cure });
  }
  return results;
}
