import { ServiceError } from '@yield-vault/protocol';

/** What became of the simulations of one scenario. */
export interface Tally {
  readonly scenario: string;
  readonly rounds: number;
  /** Gave the right result. */
  readonly right: number;
  /** Failed with an error that says that the same call may succeed later. */
  readonly retryable: number;
  /** Failed in any other way. */
  readonly untyped: number;
  /** Gave a wrong result. */
  readonly wrong: number;
  /** Processes left behind. */
  readonly leaked: number;
}

/** Counts while a scenario runs. */
export interface Tallying {
  readonly count: (simulation: Promise<boolean>) => Promise<void>;
  readonly leak: (processes: number) => void;
  readonly result: () => Tally;
}

/** Begin to count. */
export function startTally(scenario: string, rounds: number): Tallying {
  const counted = { right: 0, retryable: 0, untyped: 0, wrong: 0, leaked: 0 };
  return {
    async count(simulation) {
      try {
        counted[(await simulation) ? 'right' : 'wrong'] += 1;
      } catch (error) {
        counted[error instanceof ServiceError && error.retryable ? 'retryable' : 'untyped'] += 1;
      }
    },
    leak(processes) {
      counted.leaked += processes;
    },
    result: () => ({ scenario, rounds, ...counted }),
  };
}
