import type { EphemeralForksOptions, EphemeralLimits } from '../../src/ephemeral/options.js';
import { createEphemeralForks } from '../../src/ephemeral/create-ephemeral-forks.js';

export const silentLogger = { info: () => undefined, warn: () => undefined, error: () => undefined };

const limits: EphemeralLimits = {
  strategy: 'overlay',
  concurrency: 16,
  queueLimit: 64,
  deadlineMs: 15_000,
  maxForks: 32,
  shadowFraction: 0,
};

/** Make ephemeral forks of a chain `base` whose newest block is asked for every time. */
export function buildEphemeralForks(
  upstreamUrl: string,
  options: Partial<EphemeralLimits> = {},
  setup: Partial<EphemeralForksOptions> = {},
) {
  return createEphemeralForks({
    chains: [{ key: 'base', chainId: 8453, opStack: true, upstreamUrls: [upstreamUrl], maxHeadAgeMs: 0 }],
    options: { ...limits, ...options },
    logger: silentLogger,
    ...setup,
  });
}
