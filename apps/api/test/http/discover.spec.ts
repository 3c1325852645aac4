import { expectError, expectOk, expectViolations } from '../support/expect-error.js';
import { useServer } from '../support/start-server.js';

const path = '/v1/yield/discover';
const server = useServer();

describe('POST /v1/yield/discover', () => {
  it('default: fills in chain, strategy and limit', async () => {
    const response = await server.post(path, {});
    expect(response.statusCode).toBe(200);
    expect(server.calls.discover.at(-1)).toEqual({ chain: 'base', strategy: 'balanced', limit: 5 });
  });

  it('behavior: passes every property on', async () => {
    const query = {
      chain: 'ethereum',
      asset: 'USDC',
      strategy: 'maximize_apy',
      riskTolerance: 'low',
      minApy: 0,
      limit: 20,
    };
    expectOk(await server.post(path, query));
    expect(server.calls.discover.at(-1)).toEqual(query);
  });

  it.each([
    ['asset empty', { asset: '' }, 'asset'],
    ['unknown strategy', { strategy: 'custom' }, 'strategy'],
    ['strategy in another case', { strategy: 'Balanced' }, 'strategy'],
    ['unknown risk', { riskTolerance: 'moderate' }, 'riskTolerance'],
    ['negative minApy', { minApy: -0.01 }, 'minApy'],
    ['minApy as text', { minApy: '1' }, 'minApy'],
    ['limit 0', { limit: 0 }, 'limit'],
    ['limit 21', { limit: 21 }, 'limit'],
    ['limit as text', { limit: '5' }, 'limit'],
    ['limit with a fraction', { limit: 5.5 }, 'limit'],
    ['an unknown property named like a method', { toString: 1 }, 'toString'],
    ['an unknown property named like a method', { hasOwnProperty: null }, 'hasOwnProperty'],
  ])('error: InvalidParametersError for %s', async (_name, body, field) => {
    expectViolations(await server.post(path, body), [field]);
  });

  it('error: InvalidParametersError for a number that is infinite', async () => {
    expectViolations(await server.postRaw(path, '{"minApy":1e999}'), ['minApy']);
  });

  it('error: InvalidParametersError lists every field once', async () => {
    expectViolations(await server.post(path, { limit: 'x', strategy: 1 }), ['limit', 'strategy']);
  });

  it('error: InvalidParametersError lists unknown properties before it reads values', async () => {
    expectViolations(await server.post(path, { limit: 'x', extra: 1, more: 2 }), ['extra', 'more']);
  });

  it.each(['polygon', '', 'Base', '__proto__', 'constructor'])(
    'error: ChainNotActiveError for the chain %p',
    async (chain) => {
      const { details } = expectError(await server.post(path, { chain }), 400, 'CHAIN_NOT_ACTIVE');
      expect(details).toEqual({ supportedChains: ['base', 'ethereum'] });
    },
  );

  it('error: InvalidParametersError for a query parameter', async () => {
    expectViolations(await server.post(`${path}?limit=5`, {}), ['limit']);
  });
});
