import { createMemoryFreeQuota } from '@yield-vault/payments';
import type { ServerSettings } from '../../src/settings.js';
import { buildPayments, paymentsOn } from '../support/build-payments.js';
import { buildDeposit } from '../support/build-requests.js';
import { startServer } from '../support/start-server.js';

/** The connection, X-Forwarded-For, and the status of a call. */
type Call = readonly [remoteAddress: string, forwardedFor: string | undefined, status: number];

it.each<[string, ServerSettings['server']['trustProxy'], readonly Call[]]>([
  [
    'default: each client has its own',
    0,
    [
      ['203.0.113.1', undefined, 200],
      ['203.0.113.1', undefined, 402],
      ['203.0.113.2', undefined, 200],
    ],
  ],
  [
    'attack: another address in X-Forwarded-For',
    0,
    [
      ['203.0.113.1', undefined, 200],
      ['203.0.113.1', '203.0.113.7', 402],
    ],
  ],
  [
    'attack: another address of the same IPv6 network',
    0,
    [
      ['2001:db8:1:2::1', undefined, 200],
      ['2001:db8:1:2:ffff::2', undefined, 402],
      ['2001:db8:1:3::1', undefined, 200],
    ],
  ],
  [
    'behavior: behind a proxy that is trusted each client has its own',
    ['10.0.0.0/8'],
    [
      ['10.0.0.1', '203.0.113.1', 200],
      ['10.0.0.2', '203.0.113.1', 402],
      ['10.0.0.1', '203.0.113.2', 200],
    ],
  ],
  [
    'attack: another port of the same client',
    1,
    [
      ['10.0.0.1', '203.0.113.1:40001', 200],
      ['10.0.0.1', '203.0.113.1:40002', 402],
    ],
  ],
  [
    'attack: another address before the trusted proxy’s entry',
    1,
    [
      ['10.0.0.1', '203.0.113.1', 200],
      ['10.0.0.1', '203.0.113.7, 203.0.113.1', 402],
    ],
  ],
])('free calls: %s', async (_, trustProxy, calls) => {
  const freeQuota = createMemoryFreeQuota({ calls: 1, windowSeconds: 86_400 });
  const { payments } = await buildPayments({ freeQuota });
  const settings = { payments: paymentsOn };
  const server = await startServer({ settings, server: { trustProxy }, features: { payments } });
  for (const [remoteAddress, forwardedFor, status] of calls) {
    const { statusCode } = await server.app.inject({
      method: 'POST',
      url: '/v1/yield/prepare',
      payload: buildDeposit(),
      remoteAddress,
      headers: forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor },
    });
    expect([remoteAddress, forwardedFor, statusCode]).toEqual([remoteAddress, forwardedFor, status]);
  }
  await server.close();
});
