import { examples } from '../../src/openapi/examples.js';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSharedWaits } from '@yield-vault/chains';
import type { PrepareResponse } from '@yield-vault/protocol';
import { buildPaymentHeader, buildPayments, paymentsOn } from '../support/build-payments.js';
import { buildDeposit, buildExecute, buildSetupRelay } from '../support/build-requests.js';
import { buildSetupResponse } from '../support/build-responses.js';
import { buildSettings } from '../support/build-settings.js';
import { expectError, expectOk } from '../support/expect-error.js';
import { fakeFeatures } from '../support/fake-features.js';
import { startServer, type TestServer } from '../support/start-server.js';

const path = '/v1/yield/prepare';
const { maxConcurrent } = buildSettings().server;
let server: TestServer;
let pending: ((response: PrepareResponse) => void)[];
afterEach(() => server.close());

/** A server that runs one prepare at a time, and whose prepares end when the test says so. */
async function start(options: Parameters<typeof startServer>[0] = {}): Promise<void> {
  pending = [];
  server = await startServer({
    ...options,
    server: { maxConcurrent: { ...maxConcurrent, prepare: 1 } },
    features: {
      intents: { prepare: () => new Promise((resolve) => pending.push(resolve)) },
      ...options.features,
    },
  });
}
/** An operation that ends by an error when the test says so. */
const stuck = (ends: (() => void)[]) =>
  new Promise<never>((_, reject) => ends.push(() => reject(new Error('ended'))));
const finish = () => pending.shift()!(buildSetupResponse());
const prepare = (headers = {}) => server.post(path, buildDeposit(), headers);
/** Send a prepare over a connection. @returns how to close it */
async function prepareAndLeave(headers = {}): Promise<() => Promise<void>> {
  await server.app.listen(0, '127.0.0.1');
  const leaving = new AbortController();
  const left = fetch(`${await server.app.getUrl()}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(buildDeposit()),
    signal: leaving.signal,
  });
  return () => {
    leaving.abort();
    return expect(left).rejects.toThrow();
  };
}
async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await sleep(2);
}
const running = async () =>
  Number(
    /^yield_vault_operations_running\{operation="prepare"\} (\d+)$/m.exec(
      (await server.get('/metrics')).body,
    )![1],
  );

describe('operations at a time', () => {
  it('default: above the limit 503 at once, and nothing is started', async () => {
    await start();
    const first = prepare();
    await until(() => pending.length === 1);
    const refused = await prepare();
    const body = expectError(refused, 503, 'UPSTREAM_UNAVAILABLE');
    expect(body.details).toMatchObject({ dependency: 'capacity', operation: 'prepare' });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect([pending.length, await running()]).toEqual([1, 1]);
    expect((await server.get('/metrics')).body).toContain(
      'yield_vault_operations_refused_total{operation="prepare"} 1',
    );

    // Other operations have their own limits.
    expectOk(await server.post('/v1/yield/discover', {}));
    finish();
    expectOk(await first);
    const next = prepare();
    await until(() => pending.length === 1);
    finish();
    expectOk(await next);
  });

  it('behavior: a refused or failed request holds nothing', async () => {
    const { payments } = await buildPayments();
    await start({ settings: { payments: paymentsOn }, features: { payments } });
    for (let i = 0; i < 2; i++) expect((await prepare()).statusCode).toBe(402);
    const invalid = { 'payment-signature': buildPaymentHeader() };
    expect((await server.post(path, { operation: 'none' }, invalid)).statusCode).toBe(400);
    const paid = prepare({ 'payment-signature': buildPaymentHeader() });
    await until(() => pending.length === 1);
    // Refused before its payment is looked at, so nothing is reserved or charged.
    expectError(await prepare({ 'payment-signature': buildPaymentHeader() }), 503, 'UPSTREAM_UNAVAILABLE');
    finish();
    expectOk(await paid);
    await until(async () => (await running()) === 0);
  });

  it('behavior: an operation counts until it ends, also when its client left', async () => {
    await start();
    const leave = await prepareAndLeave();
    await until(() => pending.length === 1);
    await leave();
    await sleep(20);
    expectError(await prepare(), 503, 'UPSTREAM_UNAVAILABLE');
    finish();
    await until(async () => (await running()) === 0);
  });

  it('behavior: an operation counts, also when its client left while its payment was checked', async () => {
    let isVerifying = false;
    let verified = () => {};
    const verify = () => {
      isVerifying = true;
      return new Promise<undefined>((resolve) => (verified = () => resolve(undefined)));
    };
    const { payments } = await buildPayments({ facilitator: { verify } });
    await start({ settings: { payments: paymentsOn }, features: { payments } });
    const leave = await prepareAndLeave({ 'payment-signature': buildPaymentHeader() });
    await until(() => isVerifying);
    await leave();
    await until(async () => (await running()) === 0);
    verified();
    await until(() => pending.length === 1);
    expect(await running()).toBe(1);
    expectError(await prepare({ 'payment-signature': buildPaymentHeader() }), 503, 'UPSTREAM_UNAVAILABLE');
    finish();
    await until(async () => (await running()) === 0);
  });

  it.each([
    ['setupRelay', () => server.post('/v1/yield/setup-relay', buildSetupRelay())],
    ['quote', () => server.get('/v1/yield/vaults/42/alternatives?amount=1')],
    ['statusBatch', () => server.post('/v1/yield/status/batch', { userAddresses: [examples.agentAddress] })],
    ['intentStatus', () => server.get(`/v1/yield/intents/0x${'ab'.repeat(32)}`)],
  ] as const)('behavior: %s has a limit of its own', async (operation, call) => {
    const ends: (() => void)[] = [];
    const wait = () => stuck(ends);
    const { executionRelay, setupRelay, positions } = fakeFeatures().features;
    server = await startServer({
      server: { maxConcurrent: { ...maxConcurrent, [operation]: 1 } },
      features: {
        positions: { ...positions, statusBatch: wait },
        executionRelay: { ...executionRelay, intent: wait },
        setupRelay: { ...setupRelay, relay: wait },
        quotes: { quote: wait, alternatives: wait },
      },
    });
    const first = call();
    await until(() => ends.length === 1);
    const { details } = expectError(await call(), 503, 'UPSTREAM_UNAVAILABLE');
    expect(details).toMatchObject({ dependency: 'capacity', operation });
    ends[0]!();
    await first;
  });

  it.each([
    ['statusBatch', 'POST', '/v1/yield/status/batch'],
    ['status', 'GET', `/v1/yield/status?userAddress=${examples.agentAddress}`],
  ] as const)(
    'attack: one client leaves half of the places of %s to others',
    async (operation, method, url) => {
      const ends: (() => void)[] = [];
      const wait = () => stuck(ends);
      const { positions } = fakeFeatures().features;
      server = await startServer({
        server: { maxConcurrent: { ...maxConcurrent, [operation]: 5 } },
        features: { positions: { ...positions, status: wait, statusBatch: wait } },
      });
      const payload = method === 'POST' ? { userAddresses: [examples.agentAddress] } : undefined;
      const from = async (remoteAddress: string) =>
        server.app.inject({ method, url, payload, remoteAddress });
      const first = [from('10.0.0.1'), from('10.0.0.1')];
      await until(() => ends.length === 2);
      const refused = await from('10.0.0.1');
      expectError(refused, 503, 'UPSTREAM_UNAVAILABLE');
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
      const other = from('10.0.0.2');
      await until(() => ends.length === 3);
      for (const end of ends.splice(0)) end();
      await Promise.all([...first, other]);
      const again = [from('10.0.0.1'), from('10.0.0.1')];
      await until(() => ends.length === 2);
      for (const end of ends) end();
      await Promise.all(again);
    },
  );

  it('attack: 1,000 duplicates of 16 stuck executes leave room for another wallet', async () => {
    const join = createSharedWaits<never>();
    const ends: (() => void)[] = [];
    const wait = async (key: string) => {
      const pending = { detail: 'Not there yet.', details: {} };
      return (await join({ key, intent: key, wallet: key, client: undefined, pending }, () => stuck(ends)))
        .result;
    };
    const { executionRelay } = fakeFeatures().features;
    server = await startServer({
      // As in the schema.
      server: { maxConcurrent: { ...maxConcurrent, execute: 500 } },
      features: {
        executionRelay: { ...executionRelay, execute: ({ intentSignature }) => wait(intentSignature) },
      },
    });
    const call = (n: number) => {
      const intentSignature = `0x${'ab'.repeat(64)}${(n + 16).toString(16)}`;
      return server.post('/v1/yield/execute', buildExecute({ intentSignature }));
    };
    let refused = 0;
    const calls = Array.from({ length: 1_000 }, async (_, index) => {
      if ((await call(index % 16)).statusCode === 503) refused += 1;
    });
    await until(() => refused >= 1_000 - 16 - 128);
    const other = call(16);
    await until(() => ends.length === 17);
    for (const end of ends) end();
    await Promise.all([...calls, other]);
    expect(refused).toBe(1_000 - 16 - 128);
    expect((await other).statusCode).toBe(500);
  });
});
