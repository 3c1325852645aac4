import type { ForkLogger, ForkProvider } from '../ports.js';
import type { ForkChain, ForkStrategy } from '../types.js';

/** A chain whose newest block is forked. */
export interface EphemeralChain extends Pick<ForkChain, 'key' | 'chainId' | 'opStack' | 'upstreamUrls'> {
  /** How long ago the newest block may have been looked up, in milliseconds; 0 asks the chain every time. */
  readonly maxHeadAgeMs: number;
}

export interface EphemeralLimits {
  /** Of forks that name none themselves. */
  readonly strategy: ForkStrategy;
  /** Forks at the same time; the others wait. */
  readonly concurrency: number;
  /** Forks that may wait; a further one is refused. */
  readonly queueLimit: number;
  /** Longest time for waiting, taking a fork and using it, in milliseconds. */
  readonly deadlineMs: number;
  /** Most forks at the same time, whatever `concurrency` says. */
  readonly maxForks: number;
  /** Part of the overlay simulations, 0 to 1, that also run in a process of their own for comparison. */
  readonly shadowFraction: number;
}

export interface EphemeralForksOptions {
  readonly chains: readonly EphemeralChain[];
  readonly options: EphemeralLimits;
  /** Where the forks of the strategy `managed` come from. */
  readonly managed?: ForkProvider;
  readonly logger: ForkLogger;
  /** Unix milliseconds; `Date.now` by default. */
  readonly now?: () => number;
  /** From 0 to 1; `Math.random` by default. */
  readonly random?: () => number;
}
