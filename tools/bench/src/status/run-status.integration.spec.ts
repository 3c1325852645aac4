import { meetsStatusGoals } from './report-status.js';
import { runStatus } from './run-status.js';

describe('runStatus', () => {
  it('default: a short past at every kind of node', async () => {
    const runs = await runStatus({ ranges: 8, latencyMs: 1 });
    expect(runs).toHaveLength(3);
    expect(meetsStatusGoals(runs)).toBe(true);
  }, 60_000);
});
