import { setTimeout as wait } from 'node:timers/promises';
import { CommandFailure, textOf } from '../io.js';

const deadlineMs = 30_000;

/** What a check found. */
export interface Finding {
  readonly state: 'ok' | 'warning' | 'failed';
  readonly cause: string;
}

/** A check of one thing that a deployment relies on: its name, its subject, the cure of a failure or warning, and the run. */
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

/** Rate a cause: failed, warning or ok. */
export const judge = (cause: string, isFailed: boolean, isDoubtful = false): Finding => ({
  cause,
  state: isFailed ? 'failed' : isDoubtful ? 'warning' : 'ok',
});

/** Run checks one after the other, because providers limit rates. Each has a deadline of its own. */
export async function runChecks(checks: readonly Check[]): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (const [check, subject, cure, run] of checks) {
    const late = wait(deadlineMs, undefined, { ref: false }).then((): never => {
      throw new CommandFailure(`no result within ${deadlineMs / 1000} s`);
    });
    const found = await Promise.race([run(), late]).catch((error: unknown) => judge(textOf(error), true));
    results.push({ check, subject, ...found, cure: found.state === 'ok' ? '' : cure });
  }
  return results;
}

/** List checks that cannot run. */
export const skip = (checks: readonly Check[], cause: string): readonly Result[] =>
  checks.map(([check, subject]) => ({ check, subject, state: 'skipped', cause, cure: '' }));
