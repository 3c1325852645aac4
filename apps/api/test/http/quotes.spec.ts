import { UnknownVaultError } from '@yield-vault/protocol';
import { expectError, expectOk, expectViolations } from '../support/expect-error.js';
import { startServer, useServer } from '../support/start-server.js';

const server = useServer();
const path = '/v1/yield/vaults/42';

describe('GET /v1/yield/vaults/{vaultId}/quote', () => {
  it('default: thirty days', async () => {
    expectOk(await server.get(`${path}/quote?amount=25000`));
    expect(server.calls.quote.at(-1)).toEqual({ vaultId: '42', amount: '25000', days: 30 });
  });

  it.each([
    ['no amount', '', 'amount'],
    ['a negative amount', 'amount=-1', 'amount'],
    ['an exponent', 'amount=1e6', 'amount'],
    ['two amounts', 'amount=1&amount=2', 'amount'],
    ['no day', 'amount=1&days=0', 'days'],
    ['more than a year', 'amount=1&days=366', 'days'],
    ['half a day', 'amount=1&days=0.5', 'days'],
    ['a parameter of alternatives', 'amount=1&strategy=balanced', 'strategy'],
    ['a vaultId beside the path', 'amount=1&vaultId=7', 'vaultId'],
  ])('error: InvalidParametersError for %s', async (_, query, field) => {
    expectViolations(await server.get(`${path}/quote?${query}`), [field]);
  });

  it('error: InvalidParametersError for an id that is no number', async () => {
    expectViolations(await server.get('/v1/yield/vaults/0x1/quote?amount=1'), ['vaultId']);
  });
});

describe('GET /v1/yield/vaults/{vaultId}/alternatives', () => {
  it('default: balanced, without a risk level', async () => {
    expectOk(await server.get(`${path}/alternatives?amount=0.5`));
    expect(server.calls.alternatives.at(-1)).toEqual({
      vaultId: '42',
      amount: '0.5',
      days: 30,
      strategy: 'balanced',
    });
  });

  it('behavior: passes every parameter on', async () => {
    const query = 'amount=1&days=365&strategy=maximize_apy&riskTolerance=low';
    expectOk(await server.get(`${path}/alternatives?${query}`));
    expect(server.calls.alternatives.at(-1)).toEqual({
      vaultId: '42',
      amount: '1',
      days: 365,
      strategy: 'maximize_apy',
      riskTolerance: 'low',
    });
  });

  it.each([
    ['an unknown strategy', 'amount=1&strategy=best', 'strategy'],
    ['an unknown level', 'amount=1&riskTolerance=none', 'riskTolerance'],
    ['an unknown parameter', 'amount=1&limit=5', 'limit'],
  ])('error: InvalidParametersError for %s', async (_, query, field) => {
    expectViolations(await server.get(`${path}/alternatives?${query}`), [field]);
  });
});

it('error: 404 for the id of no vault', async () => {
  const refuse = () => Promise.reject(new UnknownVaultError({ detail: 'd', details: { vaultId: '42' } }));
  const refusing = await startServer({ features: { quotes: { quote: refuse, alternatives: refuse } } });
  for (const name of ['quote', 'alternatives'])
    expectError(await refusing.get(`${path}/${name}?amount=1`), 404, 'NOT_FOUND');
  await refusing.close();
});
