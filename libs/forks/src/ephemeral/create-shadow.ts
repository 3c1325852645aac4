import type { ForkLogger } from '../ports.js';
import type { SimulatedCallResult, SimulationRequest, SimulationResult } from '../types.js';
import { compareResults } from './compare-results.js';

// One at a time: a comparison is never worth a processor that a simulation needs.
const mostAtOnce = 1;

export interface ShadowStats {
  readonly agreed: number;
  readonly differed: number;
  /** The second run gave no result. */
  readonly failed: number;
  /** Left out because another comparison was running. */
  readonly skipped: number;
}

/** Repeats some simulations in another way and compares. */
export interface Shadow {
  /** Never throws and is not waited for. */
  readonly observe: (request: SimulationRequest, result: SimulationResult) => void;
  stats(): ShadowStats;
  /** Wait for the comparison that is running. */
  settle(): Promise<void>;
}

/** Make the shadow of a strategy. */
export function createShadow(options: {
  readonly chain: string;
  /** Part of the simulations, 0 to 1. */
  readonly fraction: number;
  readonly repeat: (
    request: SimulationRequest,
    result: SimulationResult,
  ) => Promise<readonly SimulatedCallResult[]>;
  readonly random: () => number;
  readonly logger: ForkLogger;
}): Shadow {
  const { chain, fraction, repeat, random, logger } = options;
  const running = new Set<Promise<void>>();
  const counted = { agreed: 0, differed: 0, failed: 0, skipped: 0 };

  const compare = async (request: SimulationRequest, result: SimulationResult): Promise<void> => {
    const block = String(result.block.number);
    try {
      const differences = compareResults(result.calls, await repeat(request, result));
      if (differences.length === 0) {
        counted.agreed += 1;
        return logger.info({ chain, block }, 'shadow simulation agrees');
      }
      counted.differed += 1;
      logger.error({ chain, block, template: request.template, differences }, 'shadow simulation differs');
    } catch (error) {
      counted.failed += 1;
      logger.warn({ chain, block, err: error }, 'shadow simulation failed');
    }
  };

  return {
    observe(request, result) {
      if (fraction <= 0 || random() >= fraction) return;
      if (running.size >= mostAtOnce) return void (counted.skipped += 1);
      const comparison: Promise<void> = compare(request, result).finally(() => running.delete(comparison));
      running.add(comparison);
    },
    stats: () => ({ ...counted }),
    async settle() {
      await Promise.all(running);
    },
  };
}
