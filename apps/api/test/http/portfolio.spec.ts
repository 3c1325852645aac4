import type { StatusBatchResponse } from '@yield-vault/protocol';
import { expectOk, expectViolations } from '../support/expect-error.js';
import { useServer } from '../support/start-server.js';

const server = useServer();

const wallet = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';

describe('GET /v1/yield/status', () => {
  it('default: passes the wallet on in EIP-55 form, and the client', async () => {
    const response = await server.get(`/v1/yield/status?userAddress=${wallet.toLowerCase()}`);
    expect(response.statusCode).toBe(200);
    expect(server.calls.status.at(-1)).toBe(wallet);
    expect(server.calls.clients.at(-1)).toBe('127.0.0.1');
  });

  it.each([
    ['no wallet', '', ['userAddress']],
    ['an empty wallet', 'userAddress=', ['userAddress']],
    ['a short wallet', 'userAddress=0x12', ['userAddress']],
    ['two wallets', `userAddress=${wallet}&userAddress=${wallet}`, ['userAddress']],
    ['an unknown parameter', `userAddress=${wallet}&chain=base`, ['chain']],
    ['a prototype name', `userAddress=${wallet}&__proto__=1`, ['__proto__']],
    ['a prototype name', `userAddress=${wallet}&constructor=1`, ['constructor']],
  ])('error: InvalidParametersError for %s', async (_name, query, fields) => {
    expectViolations(await server.get(`/v1/yield/status?${query}`), fields);
  });
});

describe('POST /v1/yield/status/batch', () => {
  const other = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC';
  const post = (userAddresses: unknown, more = {}) =>
    server.post('/v1/yield/status/batch', { userAddresses, ...more });

  it('default: each wallet in EIP-55 form, in the order of the request, twice where it is given twice', async () => {
    const response = await post([other, wallet.toLowerCase(), other]);
    expectOk(response);
    const { wallets } = response.json<StatusBatchResponse>();
    expect(wallets.map(({ userAddress }) => userAddress)).toEqual([other, wallet, other]);
    expect(server.calls.clients.at(-1)).toBe('127.0.0.1');
  });

  it.each([
    ['no wallets', undefined],
    ['an empty list', []],
    ['51 wallets', Array<string>(51).fill(wallet)],
    ['one wallet as text', wallet],
    ['a list with null', [wallet, null]],
    ['a list with a short wallet', [wallet, '0x12']],
  ])('error: InvalidParametersError for %s', async (_name, userAddresses) => {
    expectViolations(await post(userAddresses), ['userAddresses']);
  });

  it('error: InvalidParametersError for an unknown field', async () => {
    expectViolations(await post([wallet], { chain: 'base' }), ['chain']);
  });
});

describe('GET /v1/yield/history', () => {
  it('default: seven days, resolution by the period', async () => {
    expectOk(await server.get('/v1/yield/history?vaultId=42'));
    expect(server.calls.history.at(-1)).toEqual({ vaultId: '42', period: '7d' });
  });

  it('behavior: passes period and resolution on', async () => {
    expect((await server.get('/v1/yield/history?vaultId=42&period=90d&resolution=hourly')).statusCode).toBe(
      200,
    );
    expect(server.calls.history.at(-1)).toEqual({ vaultId: '42', period: '90d', resolution: 'hourly' });
  });

  it.each([
    ['no vaultId', '', ['vaultId']],
    ['a vaultId in hex', 'vaultId=0x1', ['vaultId']],
    ['an unknown period', 'vaultId=1&period=1y', ['period']],
    ['an empty period', 'vaultId=1&period=', ['period']],
    ['an unknown resolution', 'vaultId=1&resolution=weekly', ['resolution']],
    ['two periods', 'vaultId=1&period=7d&period=30d', ['period']],
    ['an unknown parameter', 'vaultId=1&limit=5', ['limit']],
  ])('error: InvalidParametersError for %s', async (_name, query, fields) => {
    expectViolations(await server.get(`/v1/yield/history?${query}`), fields);
  });
});
