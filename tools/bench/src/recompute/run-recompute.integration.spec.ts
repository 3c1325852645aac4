import { runRecompute } from './run-recompute.js';

describe('runRecompute', () => {
  it('default: one number of each kind for each round', async () => {
    const { vaults, cpuSeconds, delayMs, indexMs } = await runRecompute(40, 2);
    expect([vaults, cpuSeconds.length, delayMs.length, indexMs.length]).toEqual([40, 2, 2, 2]);
    for (const number of [...cpuSeconds, ...delayMs, ...indexMs]) expect(number).toBeGreaterThan(0);
  });
});
