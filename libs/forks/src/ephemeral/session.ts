import type { BlockRef, EphemeralForkOptions, Fork, SimulationRequest, SimulationResult } from '../types.js';
import type { Deadline } from './create-deadline.js';

/** A fork that a strategy has taken for one use. */
export interface Session {
  /** On which it stands. */
  readonly block: BlockRef;
  /** The fork as a chain of its own, where the strategy has one. */
  readonly fork?: Fork;
  simulate(request: SimulationRequest): Promise<SimulationResult>;
  /** Destroy it. */
  release(): Promise<void>;
}

/** One use of a fork. */
export interface Use {
  readonly id: string;
  readonly maxHeadAgeMs: number;
  /** What will be simulated first, as far as that is known. */
  readonly likely?: EphemeralForkOptions['likely'];
  readonly deadline: Deadline;
}

/** Takes forks of one chain. */
export type TakeFork = (use: Use) => Promise<Session>;
