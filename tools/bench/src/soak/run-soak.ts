import { openForks, simulateAddition, startChaosChain } from '../chaos/chain.js';
import { forkProcesses } from '../fork-processes.js';

/** Memory at one moment. */
export interface MemorySample {
  /** Simulations so far. */
  readonly simulations: number;
  /** Of this process, which does what the API does for a simulation. */
  readonly processRssBytes: number;
  readonly anvils: number;
  /** Of all of them together. */
  readonly anvilRssBytes: number;
}

const atOnce = 8;
const simulationsPerBlock = 40;
// Until compilers and caches have what they need.
const warmUp = 200;

/**
 * Simulate again and again while the chain goes on.
 *
 * @returns memory after the warm-up and at every tenth of the simulations; the last sample is the last moment
 */
export async function runSoak(simulations: number): Promise<MemorySample[]> {
  const chain = await startChaosChain();
  const forks = openForks(chain.rpcUrl);
  let done = 0;
  const simulate = async (count: number): Promise<void> => {
    for (const end = done + count; done < end; done += atOnce) {
      if (done % simulationsPerBlock === 0) await chain.mine();
      const results = await Promise.all(
        Array.from({ length: atOnce }, (_, index) => simulateAddition(forks, BigInt(done + index))),
      );
      if (!results.every(Boolean)) throw new Error('A simulation gave a wrong result');
    }
  };
  const sample = (): MemorySample => {
    const anvils = forkProcesses();
    return {
      simulations: done - warmUp,
      processRssBytes: process.memoryUsage.rss(),
      anvils: anvils.length,
      anvilRssBytes: anvils.reduce((sum, { rssBytes }) => sum + rssBytes, 0),
    };
  };
  try {
    await simulate(warmUp);
    const samples = [sample()];
    while (done - warmUp < simulations) {
      await simulate(Math.ceil(simulations / 10));
      samples.push(sample());
    }
    return samples;
  } finally {
    await forks.close();
    await chain.stop();
  }
}
