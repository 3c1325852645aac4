import { createSimulator, type SimulatorOptions } from '../../src/simulation/create-simulator.js';
import { buildForkChain } from './build-fork-chain.js';

export const silentLogger = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** Make a simulator of the chain `base`. */
export function buildSimulator(
  rpcUrl: string,
  options: Partial<Omit<SimulatorOptions, 'limits'>> = {},
  limits: Partial<SimulatorOptions['limits']> = {},
) {
  return createSimulator({
    chains: [buildForkChain({ upstreamUrls: [rpcUrl] })],
    limits: { concurrency: 16, queueLimit: 64, deadlineMs: 15_000, ...limits },
    logger: silentLogger,
    ...options,
  });
}
