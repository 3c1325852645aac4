import { fakeFeatures } from '../../../test/support/fake-features.js';
import { createHealthMonitor } from './create-health-monitor.js';

// Jest fakes only the global timers.
jest.mock('node:timers/promises', () => ({
  setTimeout: (ms: number) => new Promise((resolve) => setTimeout(resolve, ms)),
}));
const soon = () => new Promise((resolve) => setImmediate(resolve));

describe('createHealthMonitor', () => {
  it('behavior: missing contracts prevent the readiness of their chain alone, and a chain keeps the shape of the interface', async () => {
    const { features } = fakeFeatures({
      probeChain: (key) =>
        Promise.resolve({
          blockNumber: 7,
          rpc: 'ok',
          bundler: 'ok',
          bundlers: {},
          ...(key === 'base' && { missing: ['contracts'] }),
        }),
    });
    const monitor = createHealthMonitor(features);
    monitor.start();
    await soon();
    const { ready, waitingFor, readiness, chains } = monitor.read();
    monitor.stop();
    expect([ready, waitingFor]).toEqual([true, ['contracts:base']]);
    expect(readiness).toEqual({
      base: { ready: false, reasons: ['contracts:base'] },
      ethereum: { ready: true, reasons: [] },
    });
    expect(chains.base).toEqual({
      chainId: 8453,
      blockNumber: 7,
      rpc: 'ok',
      bundler: 'ok',
      reasons: ['contracts:base'],
    });
  });

  it('behavior: without a worker and old states no chain is ready, and the server stays ready for redeems', async () => {
    const { features } = fakeFeatures({
      probeChain: () =>
        Promise.resolve({
          blockNumber: 7,
          rpc: 'ok',
          bundler: 'ok',
          bundlers: {},
          missing: ['archive', 'follower'],
        }),
    });
    const monitor = createHealthMonitor(features);
    monitor.start();
    await soon();
    const { ready, status, readiness } = monitor.read();
    monitor.stop();
    expect([ready, status, readiness['base']?.ready]).toEqual([true, 'degraded', false]);
  });

  it('behavior: contracts missing for longer than a start takes are polled less often', async () => {
    jest.useFakeTimers();
    let probes = 0;
    const { features } = fakeFeatures({
      probeChain: (key) => {
        if (key === 'base') probes += 1;
        return Promise.resolve({
          blockNumber: 7,
          rpc: 'ok',
          bundler: 'ok',
          bundlers: {},
          missing: ['contracts'],
        });
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
