import { buildSetupRelay, buildTicket } from '../support/build-requests.js';
import { expectOk, expectViolations } from '../support/expect-error.js';
import { useServer } from '../support/start-server.js';

const path = '/v1/yield/setup-relay';
const server = useServer();

describe('POST /v1/yield/setup-relay', () => {
  it('default: two confirmations, setup type full', async () => {
    const body = buildSetupRelay({
      confirmations: undefined,
      setupTicket: buildTicket({ setupType: undefined }),
    });
    expectOk(await server.post(path, body));
    expect(server.calls.relay.at(-1)).toEqual(buildSetupRelay());
  });

  it.each(['2026-01-01T00:00:00Z', '2026-01-01T00:00:00.1Z', '2024-02-29T23:59:59.123456Z'])(
    'behavior: accepts the time %s',
    async (expiresAt) => {
      const body = buildSetupRelay({ setupTicket: buildTicket({ expiresAt }) });
      expectOk(await server.post(path, body));
    },
  );

  it.each([
    ['a ticket as a list', { setupTicket: [buildTicket()] }, ['setupTicket']],
    ['a transaction that is not hex', { signedRawTx: '0xzz' }, ['signedRawTx']],
    ['confirmations 0', { confirmations: 0 }, ['confirmations']],
    ['confirmations 11', { confirmations: 11 }, ['confirmations']],
    ['confirmations as text', { confirmations: '2' }, ['confirmations']],
    ['fractional confirmations', { confirmations: 1.5 }, ['confirmations']],
  ])('error: InvalidParametersError for %s', async (_name, overrides, fields) => {
    expectViolations(await server.post(path, buildSetupRelay(overrides)), fields);
  });

  it.each([
    ['version 2', { version: 2 }, 'version'],
    ['a short wallet', { walletAddress: '0x12' }, 'walletAddress'],
    ['chainId 0', { chainId: 0 }, 'chainId'],
    ['chainId above 2^53-1', { chainId: 9007199254740992 }, 'chainId'],
    ['a long implementation', { implementation: `0x${'1'.repeat(41)}` }, 'implementation'],
    ['a hash of 33 bytes', { initCalldataHash: `0x${'1'.repeat(66)}` }, 'initCalldataHash'],
    ['an unknown setup type', { setupType: 'partial' }, 'setupType'],
    ['an expiry as a number', { expiresAt: 1767225600 }, 'expiresAt'],
    ['an expiry with an offset', { expiresAt: '2026-01-01T00:00:00+00:00' }, 'expiresAt'],
    ['an expiry without Z', { expiresAt: '2026-01-01T00:00:00' }, 'expiresAt'],
    ['an expiry with a blank', { expiresAt: '2026-01-01 00:00:00Z' }, 'expiresAt'],
    ['an expiry in month 13', { expiresAt: '2026-13-01T00:00:00Z' }, 'expiresAt'],
    ['an expiry on 30 February', { expiresAt: '2026-02-30T00:00:00Z' }, 'expiresAt'],
    ['an expiry at 24:00', { expiresAt: '2026-01-01T24:00:00Z' }, 'expiresAt'],
    ['an expiry with an empty fraction', { expiresAt: '2026-01-01T00:00:00.Z' }, 'expiresAt'],
  ])('error: InvalidParametersError for a ticket with %s', async (_name, overrides, field) => {
    const before = server.calls.relay.length;
    const response = await server.post(path, buildSetupRelay({ setupTicket: buildTicket(overrides) }));
    expectViolations(response, [`setupTicket.${field}`]);
    expect(server.calls.relay).toHaveLength(before);
  });
});
