import { setTimeout as wait } from 'node:timers/promises';
import { textOf } from '../io.js';

const deadlineMs = 30_000;

/** What a check found. */
export interface Finding {
  readonly state: 'ok' | 'warning' | 'failed';
  readonly cause: string;
}

/** One thing that a deployment relies on: its name, where it is, what to do when it fails or warns, and the check. */
export type Check = readonly [check: string, subject: string, cure: string, run: () => Promise<Finding>];

/** The result of a check, a row of the table. */
export interface Result {
  readonly check: string;
  readonly subject: string;
  readonly state: Finding['state'] | 'skipped';
  readonly cause: string;
  /** Empty when nothing is to be done. */
  readonly cure: string;
}

/** Say whether what was found is a failure or at least doubtful. */
export const judge = (cause: string, isFailed: boolean, isDoubtful = false): Finding => ({
  cause,
  state: isFailed ? 'failed' : isDoubtful ? 'warning' : 'ok',
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
    results.push({ check, subject, ...found, cure: found.state === 'ok' ? '' : cure });
  }
  return results;
}
