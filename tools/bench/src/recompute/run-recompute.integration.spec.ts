import { runRecompute } from './run-recompute.js';

describe('runRecompute', () => {
  it('default: CPU time of each round, and a server that answers meanwhile', async () => {
    const { vaults, cpuSeconds, during, without } = await runRecompute(40, 2, 1);
    expect([vaults, cpuSeconds.length]).toEqual([40, 2]);
    for (const seconds of cpuSeconds) expect(seconds).toBeGreaterThan(0);
    for (const { delayMax, delayP99, answerP99 } of [during, without]) {
      expect(delayMax).toBeGreaterThanOrEqual(delayP99);
      expect(answerP99).toBeGreaterThan(0);
    }
  });
});
