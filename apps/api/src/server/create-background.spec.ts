import { createLogger } from '@yield-vault/server';
import { fakeFeatures } from '../../test/support/fake-features.js';
import { createHealthMonitor } from '../health/create-health-monitor.js';
import type { Features } from '../ports.js';
import { createBackground, type BackgroundOptions } from './create-background.js';

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

function setUp(overrides: Partial<Features> = {}, options: BackgroundOptions = {}) {
  const lines: { msg: string }[] = [];
  const logger = createLogger({
    level: 'info',
    secrets: [],
    destination: { write: (line) => void lines.push(JSON.parse(line)) },
  });
  const { features, calls } = fakeFeatures(overrides);
  const health = createHealthMonitor(features);
  return { background: createBackground(features, health, logger, options), log: calls.log, lines, features };
}

describe('createBackground', () => {
  it('default: starts discovery and the sweeper, stops everything and closes the database last', async () => {
    const { background, log } = setUp();
    background.start();
    await pause(10);
    await background.stop();
    expect(log).toEqual([
      'discovery.start',
      'executionRelay.resume',
      'executionRelay.drain',
      'setupRelay.drain',
      'discovery.stop',
      'forks.close',
      'database.close',
    ]);
  });

  it('behavior: sweeps again and again, never twice at once', async () => {
    let running = 0;
    let most = 0;
    let runs = 0;
    const { background } = setUp(
      {
        executionRelay: {
          ...fakeFeatures().features.executionRelay,
          resume: async () => {
            most = Math.max(most, (running += 1));
            await pause(15);
            running -= 1;
            runs += 1;
          },
        },
      },
      { sweepIntervalMs: 1 },
    );
    background.start();
    await pause(120);
    await background.stop();
    expect(runs).toBeGreaterThan(2);
    expect(most).toBe(1);
    const after = runs;
    await pause(40);
    expect(runs - after).toBeLessThanOrEqual(1);
  });

  it('behavior: a sweeper or a discovery that fails is logged and tried again', async () => {
    let sweeps = 0;
    let starts = 0;
    const fakes = fakeFeatures().features;
    const { background, lines } = setUp(
      {
        executionRelay: {
          ...fakes.executionRelay,
          resume: () => Promise.reject(new Error(`sweep ${(sweeps += 1)}`)),
        },
        discovery: { ...fakes.discovery, start: () => Promise.reject(new Error(`start ${(starts += 1)}`)) },
      },
      { sweepIntervalMs: 5, restartDelayMs: 5 },
    );
    background.start();
    await pause(60);
    await background.stop();
    expect(sweeps).toBeGreaterThan(1);
    expect(starts).toBeGreaterThan(1);
    expect(lines.map(({ msg }) => msg)).toContain('the sweeper failed and is tried again');
    expect(lines.map(({ msg }) => msg)).toContain('discovery did not start and is tried again');
  });

  it('behavior: a relay that does not drain holds the stop up no longer than its deadline', async () => {
    const { background, log, lines } = setUp(
      {
        executionRelay: {
          ...fakeFeatures().features.executionRelay,
          drain: () => new Promise<void>(() => undefined),
        },
      },
      { drainDeadlineMs: 20 },
    );
    background.start();
    await background.stop();
    expect(log.at(-1)).toBe('database.close');
    expect(lines.map(({ msg }) => msg)).toContain('transactions under way are left to the next start');
  });

  it.each([
    ['the forks', 'fail to end', () => Promise.reject(new Error('boom')), 'closing failed'],
    ['the forks', 'do not end', () => new Promise<void>(() => undefined), 'the forks did not end in time'],
    ['discovery', 'fails to end', () => Promise.reject(new Error('boom')), 'closing failed'],
    ['discovery', 'does not end', () => new Promise<void>(() => undefined), 'discovery did not end in time'],
  ])(
    'behavior: %s that %s neither keeps the database open nor the rest running',
    async (part, _, end, message) => {
      const fakes = setUp().features;
      const { background, log, lines } = setUp(
        part === 'discovery'
          ? { discovery: { ...fakes.discovery, stop: end } }
          : { forks: { ...fakes.forks, close: end } },
        { drainDeadlineMs: 20, endDeadlineMs: 20 },
      );
      background.start();
      await background.stop();
      expect(log).toContain(part === 'discovery' ? 'forks.close' : 'discovery.stop');
      expect(log.at(-1)).toBe('database.close');
      expect(lines.map(({ msg }) => msg)).toContain(message);
    },
  );

  it.each([
    ['fails to close', () => Promise.reject(new Error('boom')), 'closing failed'],
    ['does not close', () => new Promise<void>(() => undefined), 'the database did not close in time'],
  ])('behavior: a database that %s does not hold the stop up', async (_, close, message) => {
    const fakes = setUp().features;
    const { background, lines } = setUp({ database: { ...fakes.database, close } }, { closeDeadlineMs: 20 });
    background.start();
    await background.stop();
    expect(lines.map(({ msg }) => msg)).toContain(message);
  });

  it('behavior: with nothing that ends it stops within 17 s, after 8 s for the answers under way', async () => {
    jest.useFakeTimers();
    try {
      const never = () => new Promise<void>(() => undefined);
      const fakes = setUp().features;
      const { background } = setUp({
        executionRelay: { ...fakes.executionRelay, drain: never },
        setupRelay: { ...fakes.setupRelay, drain: never },
        discovery: { ...fakes.discovery, stop: never },
        forks: { ...fakes.forks, close: never },
        database: { ...fakes.database, close: never },
      });
      background.start();
      let stopped = false;
      const stopping = background.stop().then(() => (stopped = true));
      await jest.advanceTimersByTimeAsync(17_000);
      expect(stopped).toBe(true);
      await stopping;
    } finally {
      jest.useRealTimers();
    }
  });

  it('behavior: relays are told to give up waiting once the time of grace is over', async () => {
    const { background, log } = setUp({}, { graceMs: 20 });
    background.beginStop();
    expect(log).not.toContain('executionRelay.drain');
    await pause(50);
    expect(log).toContain('executionRelay.drain');
    await background.stop();
  });
});
