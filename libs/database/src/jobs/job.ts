/**
 * How a run ended. `done`: repeat at the interval. `failed`: repeat after a growing pause; the run logged why.
 * `more`: repeat at once. A number: repeat after so many milliseconds.
 */
export type JobOutcome = 'done' | 'failed' | 'more' | number;

/** Work that is repeated until it is stopped. Two runs of a job overlap only when one does not end after its signal. */
export interface Job {
  /** In logs and metrics, e.g. `sample:base`. */
  readonly name: string;
  /** From the start of one run to the start of the next. */
  readonly intervalMs: number;
  /** Shortest pause after a failure, for a run that costs others something; at most the interval. */
  readonly leastRetryMs?: number;
  /** Run once, and end soon after the signal aborts. A run that throws counts as failed. */
  readonly run: (signal: AbortSignal) => Promise<JobOutcome>;
}
