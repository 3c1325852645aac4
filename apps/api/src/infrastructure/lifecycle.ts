import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { withTimeout } from '@yield-vault/server';

/** How long the parts of the server may take to start, repeat and stop. */
export interface Timings {
  /** Pause between two runs of the sweeper. */
  readonly sweepIntervalMs: number;
  /** Pause before discovery starts again after a failed start. */
  readonly restartDelayMs: number;
  /** Time that requests in flight have before the relays stop waiting for the chain. */
  readonly graceMs: number;
  /** Time for each relay to stop waiting, after the last request. */
  readonly drainDeadlineMs: number;
  /** Time for discovery to stop. */
  readonly endDeadlineMs: number;
  /** Time for the forks, and then for the database, to close. */
  readonly closeDeadlineMs: number;
}

// With 8 s for requests in flight at most 28 s: orchestrators kill after 30 s.
export const defaultTimings: Timings = {
  sweepIntervalMs: 10_000,
  restartDelayMs: 5_000,
  graceMs: 5_000,
  drainDeadlineMs: 2_500,
  endDeadlineMs: 9_000,
  closeDeadlineMs: 3_000,
};

/** Wait until a part has ended, up to a deadline. Neither delay nor failure keeps the other parts from ending. */
export async function endWithin(
  deadlineMs: number,
  ending: Promise<unknown>,
  logger: Logger,
  late: string,
): Promise<void> {
  const outcome = ending.then(
    () => 'ended',
    (err: unknown) => logger.error({ err }, 'closing failed'),
  );
  if ((await withTimeout(outcome, deadlineMs, 'late')) === 'late') logger.warn(late);
}

/** Run a task at once and then after each pause, until the signal. Two runs never overlap. */
export async function repeat(run: () => Promise<void>, pauseMs: number, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await run();
    await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
  }
}

/** Ends a relay: requests in flight get a time of grace, then the relay stops waiting for the chain. */
export class RelayDrain {
  #grace: NodeJS.Timeout | undefined;

  constructor(
    private readonly relay: { drain(): Promise<void> },
    private readonly logger: Logger,
    private readonly timings: Timings,
  ) {}

  begin(): void {
    this.#grace = setTimeout(() => void this.relay.drain().catch(() => undefined), this.timings.graceMs);
  }

  async end(): Promise<void> {
    clearTimeout(this.#grace);
    const late = 'transactions in flight are left to the next start';
    await endWithin(this.timings.drainDeadlineMs, this.relay.drain(), this.logger, late);
  }
}
