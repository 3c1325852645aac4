import { createSimulator, type SimulatorOptions } from '../../src/preflight/create-simulator.js';
import { buildForkChain } from './build-fork-chain.js';
import { recordingLogger } from './recording-logger.js';

/** Make a simulator of the chain `base`. */
export function buildSimulator(
  rpcUrl: string,
  options: Partial<Omit<SimulatorOptions, 'limits'>> = {},
  limits: Partial<SimulatorOptions['limits']> = {},
) {
  return createSimulator({
    chains: [buildForkChain({ upstreamUrls: [rpcUrl] })],
    limits: { concurrency: 16, queueLimit: 64, deadlineMs: 15_000, ...limits },
    logger: recordingLogger(),
    ...options,
  });
}
