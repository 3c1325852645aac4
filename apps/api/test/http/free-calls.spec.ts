import { createMemoryFreeQuota } from '@yield-vault/payments';
import type { ServerSettings } from '../../src/settings.js';
import { buildPayments, paymentsOn } from '../support/build-payments.js';
import { buildDeposit } from '../support/build-requests.js';
import { buildSettings } from '../support/build-settings.js';
import { startServer, type TestServer } from '../support/start-server.js';

let server: TestServer;
afterEach(() => server.close());

/** Start a server with one free call per client. The result sends an unpaid call and returns its status. */
async function start(trustProxy: ServerSettings['server']['trustProxy'] = 0) {
  const freeQuota = createMemoryFreeQuota({ calls: 1, windowSeconds: 86_400 });
  const { payments } = await buildPayments({ freeQuota });
  const settings = buildSettings();
  server = await startServer({
    settings: { payments: paymentsOn, server: { ...settings.server, trustProxy } },
    features: { payments },
  });
  return async (remoteAddress: string, forwardedFor?: string) => {
    const { statusCode } = await server.app.inject({
      method: 'POST',
      url: '/v1/yield/prepare',
      payload: buildDeposit(),
      remoteAddress,
      headers: forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor },
    });
    return statusCode;
  };
}

describe('free calls', () => {
  it('default: each client has its own', async () => {
    const call = await start();
    expect([await call('203.0.113.1'), await call('203.0.113.1')]).toEqual([200, 402]);
    expect(await call('203.0.113.2')).toBe(200);
  });

  it('attack: another address in X-Forwarded-For', async () => {
    const call = await start();
    expect(await call('203.0.113.1')).toBe(200);
    expect(await call('203.0.113.1', '203.0.113.7')).toBe(402);
  });

  it('attack: another address of the same IPv6 network', async () => {
    const call = await start();
    expect(await call('2001:db8:1:2::1')).toBe(200);
    expect(await call('2001:db8:1:2:ffff::2')).toBe(402);
    expect(await call('2001:db8:1:3::1')).toBe(200);
  });

  it('behavior: behind a proxy that is trusted each client has its own', async () => {
    const call = await start(['10.0.0.0/8']);
    expect(await call('10.0.0.1', '203.0.113.1')).toBe(200);
    expect(await call('10.0.0.2', '203.0.113.1')).toBe(402);
    expect(await call('10.0.0.1', '203.0.113.2')).toBe(200);
  });

  it('attack: another port of the same client', async () => {
    const call = await start(1);
    expect(await call('10.0.0.1', '203.0.113.1:40001')).toBe(200);
    expect(await call('10.0.0.1', '203.0.113.1:40002')).toBe(402);
  });

  it('attack: another address before the trusted proxy’s entry', async () => {
    const call = await start(1);
    expect(await call('10.0.0.1', '203.0.113.1')).toBe(200);
    expect(await call('10.0.0.1', '203.0.113.7, 203.0.113.1')).toBe(402);
  });
});
