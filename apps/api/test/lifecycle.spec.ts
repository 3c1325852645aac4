import { setTimeout as pause } from 'node:timers/promises';
import type { Features } from '../src/ports.js';
import { defaultTimings, type Timings } from '../src/infrastructure/lifecycle.js';
import { fakeFeatures } from './support/fake-features.js';
import { startServer, type TestServer } from './support/start-server.js';

const never = () => new Promise<void>(() => undefined);
const fail = () => Promise.reject(new Error('boom'));

const start = (features: Partial<Features> = {}, timings: Partial<Timings> = {}) =>
  startServer({ features, timings });
const messages = ({ logged }: TestServer) => logged.map(({ msg }) => msg);

describe('start and stop of the server', () => {
  it('default: starts discovery and the sweeper, stops everything and closes the database last', async () => {
    const server = await start();
    await pause(10);
    expect([...server.calls.log].sort()).toEqual(['discovery.start', 'executionRelay.resume']);
    await server.close();
    expect([...server.calls.log.slice(2)].sort()).toEqual([
      'database.close',
      'discovery.stop',
      'executionRelay.drain',
      'forks.close',
      'setupRelay.drain',
    ]);
    expect(server.calls.log.at(-1)).toBe('database.close');
    const ended = (part: string) => server.calls.log.indexOf(part);
    expect(ended('executionRelay.drain')).toBeLessThan(ended('discovery.stop'));
    expect(ended('setupRelay.drain')).toBeLessThan(ended('forks.close'));
  });

  it('behavior: sweeps again and again, never twice at once', async () => {
    let running = 0;
    let most = 0;
    let runs = 0;
    const resume = async () => {
      most = Math.max(most, (running += 1));
      await pause(15);
      running -= 1;
      runs += 1;
    };
    const { executionRelay } = fakeFeatures().features;
    const server = await start({ executionRelay: { ...executionRelay, resume } }, { sweepIntervalMs: 1 });
    await pause(120);
    await server.close();
    expect(runs).toBeGreaterThan(2);
    expect(most).toBe(1);
    const after = runs;
    await pause(40);
    expect(runs - after).toBeLessThanOrEqual(1);
  });

  it('behavior: a sweeper or a discovery that fails is logged and tried again', async () => {
    let sweeps = 0;
    let starts = 0;
    const { executionRelay, discovery } = fakeFeatures().features;
    const server = await start(
      {
        executionRelay: { ...executionRelay, resume: () => Promise.reject(new Error(`${(sweeps += 1)}`)) },
        discovery: { ...discovery, start: () => Promise.reject(new Error(`${(starts += 1)}`)) },
      },
      { sweepIntervalMs: 5, restartDelayMs: 5 },
    );
    await pause(60);
    await server.close();
    expect(sweeps).toBeGreaterThan(1);
    expect(starts).toBeGreaterThan(1);
    expect(messages(server)).toContain('the sweeper failed: the next attempt follows');
    expect(messages(server)).toContain('discovery did not start: the next attempt follows');
  });

  it.each(['executionRelay', 'setupRelay'] as const)(
    'behavior: %s that does not drain delays the stop by no more than its deadline',
    async (part) => {
      const fakes = fakeFeatures().features;
      const server = await start({ [part]: { ...fakes[part], drain: never } }, { drainDeadlineMs: 20 });
      await server.close();
      expect(server.calls.log.at(-1)).toBe('database.close');
      expect(messages(server)).toContain('transactions in flight are left to the next start');
    },
  );

  it.each([
    ['forks', 'fails to end', fail, 'closing failed'],
    ['forks', 'does not end', never, 'the forks did not end in time'],
    ['discovery', 'fails to end', fail, 'closing failed'],
    ['discovery', 'does not end', never, 'discovery did not end in time'],
  ] as const)('behavior: the rest ends when %s %s', async (part, _, end, message) => {
    const { forks, discovery } = fakeFeatures().features;
    const server = await start(
      part === 'forks' ? { forks: { ...forks, close: end } } : { discovery: { ...discovery, stop: end } },
      { endDeadlineMs: 20, closeDeadlineMs: 20 },
    );
    await server.close();
    expect(server.calls.log).toContain(part === 'discovery' ? 'forks.close' : 'discovery.stop');
    expect(server.calls.log.at(-1)).toBe('database.close');
    expect(messages(server)).toContain(message);
  });

  it.each([
    ['fails to close', fail, 'closing failed'],
    ['does not close', never, 'the database did not close in time'],
  ])('behavior: a database that %s does not hold the stop up', async (_, close, message) => {
    const { database } = fakeFeatures().features;
    const server = await start({ database: { ...database, close } }, { closeDeadlineMs: 20 });
    await server.close();
    expect(messages(server)).toContain(message);
  });

  it('behavior: the deadlines leave 8 of 30 s to requests in flight', () => {
    const { drainDeadlineMs, endDeadlineMs, closeDeadlineMs } = defaultTimings;
    expect(2 * drainDeadlineMs + endDeadlineMs + 2 * closeDeadlineMs).toBeLessThanOrEqual(20_000);
  });

  it('behavior: relays stop waiting for the chain once the time of grace is over', async () => {
    let drained = () => {};
    const whenDrained = new Promise<void>((resolve) => {
      drained = resolve;
    });
    const fakes = fakeFeatures();
    const { executionRelay } = fakes.features;
    // The request ends only because the relay is drained.
    const server = await start(
      {
        executionRelay: {
          ...executionRelay,
          execute: async (request) => {
            await whenDrained;
            return executionRelay.execute(request);
          },
          drain: () => Promise.resolve(drained()),
        },
      },
      { graceMs: 20 },
    );
    const { buildExecute } = await import('./support/build-requests.js');
    const response = server.post('/v1/yield/execute', buildExecute());
    await pause(20);
    await Promise.all([server.close(), response]);
    expect((await response).statusCode).toBe(200);
  });
});
