import { startChaosChain } from './chain.js';
import { scenarios } from './scenarios.js';
import type { Tally } from './tally.js';

/** Run every scenario on one chain, one after the other. */
export async function runChaos(rounds: number): Promise<Tally[]> {
  const chain = await startChaosChain();
  try {
    const tallies: Tally[] = [];
    for (const scenario of scenarios) tallies.push(await scenario(chain, rounds));
    return tallies;
  } finally {
    await chain.stop();
  }
}
