import { setTimeout as pause } from 'node:timers/promises';
import { defaultTimings, type Timings } from '../src/infrastructure/lifecycle.js';
import { fakeFeatures, type Features } from './support/fake-features.js';
import { startServer, type TestServer } from './support/start-server.js';

const never = () => new Promise<void>(() => undefined);
const fail = () => Promise.reject(new Error('boom'));

const start = (features: Partial<Features> = {}, timings: Partial<Timings> = {}) =>
  startServer({ features, timings });
const messages = ({ logged }: TestServer) => logged.map(({ msg }) => msg);

describe('start and stop of the server', () => {
  it('default: starts discovery, stops everything and closes the database last', async () => {
    const server = await start();
    await pause(10);
    expect(server.calls.log).toEqual(['discovery.start']);
    await server.close();
    expect([...server.calls.log.slice(1)].sort()).toEqual([
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
    ['fail to end', fail, 'closing failed'],
    ['do not end', never, 'the forks did not end in time'],
  ] as const)('behavior: the rest ends when the forks %s', async (_, close, message) => {
    const { forks } = fakeFeatures().features;
    const server = await start({ forks: { ...forks, close } }, { closeDeadlineMs: 20 });
    await server.close();
    expect(server.calls.log).toContain('discovery.stop');
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
    const { drainDeadlineMs, endDeadlineMs, probeDeadlineMs, closeDeadlineMs } = defaultTimings;
    const deadlines = 2 * (drainDeadlineMs + endDeadlineMs + closeDeadlineMs) + probeDeadlineMs;
    expect(deadlines).toBeLessThanOrEqual(20_000);
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
