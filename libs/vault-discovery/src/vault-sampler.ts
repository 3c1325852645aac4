import type { Job } from '@yield-vault/database';
import { silentLogger } from '@yield-vault/protocol';
import { sampleChain } from './sampling/sample-chain.js';
import type { VaultSamplerDeps } from './sampling/sampler-deps.js';

/** Reads the chains into the store, and computes the numbers of every vault. */
export interface VaultSampler {
  /**
   * The jobs that sample, for `startJobs` of `@yield-vault/database`: one for each chain, and one that removes old hours.
   * They begin without memory, because another process may have written meanwhile.
   */
  begin(signal: AbortSignal): readonly Job[];
  /** Whether sampling of a chain stopped, because every node contradicts a block that was sampled. */
  isStopped(chainId: number): boolean;
}

const dayMs = 86_400_000;
const hourMs = 3_600_000;

/**
 * Create the sampler of a deployment: the write side of discovery. Its job for a chain samples the head, reads missing
 * hours meanwhile, and computes the numbers of all vaults. After a failure the last numbers stay.
 */
export function createSampler(deps: VaultSamplerDeps): VaultSampler {
  const { stores, options, now = Date.now, logger = silentLogger } = deps;
  const stopped = new Set<number>();

  const compact = async () => {
    const removed = await stores.snapshots.compact((now() - options.hourlyRetentionDays * dayMs) / 1_000);
    if (removed > 0) logger.info({ removed }, 'removed old hours: one snapshot a day stays');
    return 'done' as const;
  };

  return {
    begin: (signal) => {
      stopped.clear();
      return [
        ...deps.chains.map((chain) =>
          sampleChain({ chain, deps, now, logger, signal }, (isStopped) =>
            isStopped ? stopped.add(chain.chainId) : stopped.delete(chain.chainId),
          ),
        ),
        // Retention blocks saves.
        { name: 'retention', intervalMs: hourMs, leastRetryMs: hourMs, run: compact },
      ];
    },
    isStopped: (chainId) => stopped.has(chainId),
  };
}
