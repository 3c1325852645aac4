import { setTimeout as sleep } from 'node:timers/promises';
import type { PrepareResponse } from '@yield-vault/protocol';
import { buildPaymentHeader, buildPayments, paymentsOn } from '../support/build-payments.js';
import { buildDeposit } from '../support/build-requests.js';
import { buildSetupResponse } from '../support/build-responses.js';
import { buildSettings } from '../support/build-settings.js';
import { expectError } from '../support/expect-error.js';
import { startServer, type TestServer } from '../support/start-server.js';

const path = '/v1/yield/prepare';
let server: TestServer;
let pending: ((response: PrepareResponse) => void)[];
afterEach(() => server.close());

/** A server that runs one prepare at a time, and whose prepares end when the test says so. */
async function start(options: Parameters<typeof startServer>[0] = {}): Promise<void> {
  pending = [];
  const settings = buildSettings(options.settings);
  const maxConcurrent = { ...settings.server.maxConcurrent, prepare: 1 };
  server = await startServer({
    settings: { ...settings, server: { ...settings.server, maxConcurrent } },
    features: {
      intents: { prepare: () => new Promise((resolve) => pending.push(resolve)) },
      ...options.features,
    },
  });
}
const finish = () => pending.shift()!(buildSetupResponse());
const prepare = (headers = {}) => server.post(path, buildDeposit(), headers);
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
    expect((await server.post('/v1/yield/discover', {})).statusCode).toBe(200);
    finish();
    expect((await first).statusCode).toBe(200);
    const next = prepare();
    await until(() => pending.length === 1);
    finish();
    expect((await next).statusCode).toBe(200);
  });

  it('behavior: a refused or failed request holds nothing', async () => {
    const { payments } = await buildPayments();
    await start({ settings: { payments: paymentsOn }, features: { payments } });
    for (let i = 0; i < 2; i++) expect((await prepare()).statusCode).toBe(402);
    expect((await server.post(path, { operation: 'none' })).statusCode).toBe(402);
    const paid = prepare({ 'payment-signature': buildPaymentHeader() });
    await until(() => pending.length === 1);
    // Refused before its payment is looked at, so nothing is reserved or charged.
    expectError(await prepare({ 'payment-signature': buildPaymentHeader() }), 503, 'UPSTREAM_UNAVAILABLE');
    finish();
    expect((await paid).statusCode).toBe(200);
    await until(async () => (await running()) === 0);
  });

  it('behavior: an invalid body holds nothing', async () => {
    await start();
    for (let i = 0; i < 2; i++) expect((await server.post(path, { operation: 'none' })).statusCode).toBe(400);
    await until(async () => (await running()) === 0);
  });

  it('behavior: an operation counts until it ends, also when its client left', async () => {
    await start();
    await server.app.listen(0, '127.0.0.1');
    const leaving = new AbortController();
    const left = fetch(`${await server.app.getUrl()}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(buildDeposit()),
      signal: leaving.signal,
    });
    await until(() => pending.length === 1);
    leaving.abort();
    await expect(left).rejects.toThrow();
    await sleep(20);
    expectError(await prepare(), 503, 'UPSTREAM_UNAVAILABLE');
    finish();
    await until(async () => (await running()) === 0);
  });
});
