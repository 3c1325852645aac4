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

  it('behavior: what is missing for longer than a start takes is not asked for at the pace of a start', async () => {
    jest.useFakeTimers();
    let probes = 0;
    const { features } = fakeFeatures({
      probeChain: (key) => {
        if (key === 'base') probes += 1;
        return Promise.resolve({ blockNumber: 7, rpc: 'ok', bundler: 'ok', contracts: 'missing' });
      },
    });
    const pace = { startMs: 60_000, startIntervalMs: 250, intervalMs: 5_000 };
    const monitor = createHealthMonitor(features, pace);
    try {
      monitor.start();
      await jest.advanceTimersByTimeAsync(59_000);
      expect(probes).toBe(1 + 59 * 4);
      await jest.advanceTimersByTimeAsync(6_000);
      const before = probes;
      await jest.advanceTimersByTimeAsync(50_000);
      expect(probes - before).toBe(10);
    } finally {
      monitor.stop();
      jest.useRealTimers();
    }
  });
});
