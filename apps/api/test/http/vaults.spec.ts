import { UnknownVaultError } from '@yield-vault/protocol';
import { examples } from '../../src/openapi/examples.js';
import { buildVaultReport, buildVaultSummary } from '../support/build-responses.js';
import { expectError, expectOk, expectViolations } from '../support/expect-error.js';
import { fakeFeatures } from '../support/fake-features.js';
import { startServer, useServer } from '../support/start-server.js';

const { entryPoint, implementation, validator, executor, paymaster, usdc, router } = examples;
const server = useServer();

describe('GET /v1/yield/chains', () => {
  it('default: contracts and lifetime of each chain, and each asset of its listed vaults once', async () => {
    expect((await server.get('/v1/yield/chains')).json()).toEqual({
      chains: [
        {
          chain: 'base',
          chainId: 8453,
          name: 'Base',
          relayMode: 'chain',
          assets: [{ symbol: 'USDC', address: usdc, decimals: 6 }],
          contracts: { entryPoint, implementation, validator, executor, paymaster, usdc, router },
          intentLifetimeSeconds: 600,
          confirmations: 1,
        },
      ],
    });
  });

  it('error: InvalidParametersError for a query', async () => {
    expectViolations(await server.get('/v1/yield/chains?chain=base'), ['chain']);
  });
});

describe('GET /v1/yield/vaults', () => {
  it('default: twenty vaults of every chain', async () => {
    const response = await server.get('/v1/yield/vaults');
    expect(response.statusCode).toBe(200);
    expect(server.calls.page.at(-1)).toEqual({ limit: 20 });
    expect(response.json()).toEqual({ count: 1, total: 3, nextCursor: 'MQ', vaults: [buildVaultSummary()] });
  });

  it('behavior: passes every parameter on', async () => {
    const query = 'chain=base&asset=USDC&listed=false&limit=100&cursor=MQ';
    expectOk(await server.get(`/v1/yield/vaults?${query}`));
    expect(server.calls.page.at(-1)).toEqual({
      chain: 'base',
      asset: 'USDC',
      listed: false,
      limit: 100,
      cursor: 'MQ',
    });
    await server.get('/v1/yield/vaults?listed=true');
    expect(server.calls.page.at(-1)).toEqual({ listed: true, limit: 20 });
  });

  it.each([
    ['an empty chain', 'chain=', 'chain'],
    ['an empty asset', 'asset=', 'asset'],
    ['an empty cursor', 'cursor=', 'cursor'],
    ['a flag of another word', 'listed=yes', 'listed'],
    ['a flag in capitals', 'listed=True', 'listed'],
    ['a prototype name as flag', 'listed=constructor', 'listed'],
    ['limit 0', 'limit=0', 'limit'],
    ['limit 101', 'limit=101', 'limit'],
    ['limit -1', 'limit=-1', 'limit'],
    ['limit with a sign', 'limit=%2B5', 'limit'],
    ['limit with a zero in front', 'limit=05', 'limit'],
    ['limit with a fraction', 'limit=5.0', 'limit'],
    ['limit in hex', 'limit=0x5', 'limit'],
    ['an empty limit', 'limit=', 'limit'],
    ['two limits', 'limit=5&limit=6', 'limit'],
    ['two cursors', 'cursor=MQ&cursor=Mg', 'cursor'],
    ['an unknown parameter', 'strategy=balanced', 'strategy'],
    ['a prototype name', '__proto__=1', '__proto__'],
  ])('error: InvalidParametersError for %s', async (_name, query, field) => {
    expectViolations(await server.get(`/v1/yield/vaults?${query}`), [field]);
  });
});

describe('GET /v1/yield/vaults/{vaultId}', () => {
  it('default: everything behind the numbers', async () => {
    const response = await server.get('/v1/yield/vaults/42');
    expect(response.statusCode).toBe(200);
    expect(server.calls.explain.at(-1)).toBe('42');
    expect(response.json()).toEqual(buildVaultReport({ vaultId: '42' }));
  });

  it.each(['0x1', 'abc', '-1', '1.5', '%20', '1%2F2', '__proto__', '１'])(
    'error: InvalidParametersError for the id %s',
    async (vaultId) => {
      expectViolations(await server.get(`/v1/yield/vaults/${encodeURI(vaultId)}`), ['vaultId']);
    },
  );

  it('error: InvalidParametersError for a query parameter', async () => {
    expectViolations(await server.get('/v1/yield/vaults/42?chain=base'), ['chain']);
  });

  it('error: NotFoundError for a malformed id', async () => {
    expectError(await server.get('/v1/yield/vaults/'), 404, 'NOT_FOUND');
    expectError(await server.get('/v1/yield/vaults/1/2'), 404, 'NOT_FOUND');
    expectError(await server.post('/v1/yield/vaults/1', {}), 404, 'NOT_FOUND');
  });

  it('error: 404 for the id of no vault', async () => {
    const refusing = await startServer({
      features: {
        discovery: {
          ...fakeFeatures().features.discovery,
          explain: () => Promise.reject(new UnknownVaultError({ detail: 'd', details: { vaultId: '1' } })),
        },
      },
    });
    expectError(await refusing.get('/v1/yield/vaults/1'), 404, 'NOT_FOUND');
    await refusing.close();
  });
});
