import type { BeforeApplicationShutdown, OnApplicationShutdown } from '@nestjs/common';
import type { Logger } from 'pino';
import { endWithin } from '@yield-vault/server';

/** How long the parts of the server may take to stop. */
export interface Timings {
  /** Time that requests in flight have before the relays stop waiting for the chain. */
  readonly graceMs: number;
  /** Time for each relay to stop waiting, after the last request. */
  readonly drainDeadlineMs: number;
  /** Time for the worker in this process to stop. */
  readonly endDeadlineMs: number;
  /** Time for the probes of the health monitor to end. */
  readonly probeDeadlineMs: number;
  /** Time for the forks, and then for the database, to close. */
  readonly closeDeadlineMs: number;
}

// With 8 s for requests in flight at most 28 s: orchestrators kill after 30 s.
export const defaultTimings: Timings = {
  graceMs: 5_000,
  drainDeadlineMs: 2_500,
  endDeadlineMs: 4_000,
  probeDeadlineMs: 1_000,
  closeDeadlineMs: 3_000,
};

/** A module that ends its relay: requests in flight get a time of grace, then the relay stops waiting for the chain. */
export abstract class RelayModule implements BeforeApplicationShutdown, OnApplicationShutdown {
  #grace: NodeJS.Timeout | undefined;

  constructor(
    private readonly relay: { drain(): Promise<void> },
    private readonly parts: { readonly logger: Logger; readonly timings: Timings },
  ) {}

  beforeApplicationShutdown(): void {
    this.#grace = setTimeout(
      () => void this.relay.drain().catch(() => undefined),
      this.parts.timings.graceMs,
    );
  }

  async onApplicationShutdown(): Promise<void> {
    clearTimeout(this.#grace);
    const { logger, timings } = this.parts;
    const late = 'transactions in flight are left to the next start';
    await endWithin(timings.drainDeadlineMs, this.relay.drain(), logger, late);
  }
}
