import { setImmediate as soon } from 'node:timers/promises';
import { fakeFeatures } from '../../test/support/fake-features.js';
import { createHealthMonitor } from './create-health-monitor.js';

describe('createHealthMonitor', () => {
  it('behavior: missing contracts keep it from being ready, and the shape of a chain stays that of the interface', async () => {
    const { features } = fakeFeatures({
      probeChain: (key) =>
        Promise.resolve({
          ...{ blockNumber: 7, rpc: 'ok', bundler: 'ok' },
          ...(key === 'base' && { contracts: 'missing' }),
        }),
    });
    const monitor = createHealthMonitor(features);
    monitor.start();
    await soon();
    const { ready, waitingFor, chains } = monitor.read();
    monitor.stop();
    expect([ready, waitingFor]).toEqual([false, ['contracts:base']]);
    expect(chains.base).toEqual({ chainId: 8453, blockNumber: 7, rpc: 'ok', bundler: 'ok' });
  });
});
