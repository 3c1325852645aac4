import { runSample } from './run-sample.js';

describe('runSample', () => {
  it('default: a snapshot of every clone, in as few calls as their reads fill', async () => {
    const { snapshots, ethCalls, sampleMs, rpcMs } = await runSample(100, 1);
    // 300 reads of vaults and those of two price feeds, 200 in a call.
    expect([snapshots, ethCalls]).toEqual([100, 2]);
    expect([sampleMs.length, rpcMs.length]).toEqual([1, 1]);
  }, 120_000);
});
