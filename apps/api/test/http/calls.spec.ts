import { examples } from '../../src/openapi/examples.js';
import { expectError, expectOk, expectViolations } from '../support/expect-error.js';
import { useServer } from '../support/start-server.js';

const server = useServer();
const { agentAddress: from, vaultId } = examples;
const path = `/v1/yield/calls?from=${from}&vaultId=${vaultId}`;

describe('GET /v1/yield/calls', () => {
  it('default: a deposit on base', async () => {
    expectOk(await server.get(`${path}&amount=1.5`));
    const request = { operation: 'deposit', chain: 'base', from, vaultId, amount: '1.5' };
    expect(server.calls.calls.at(-1)).toEqual(request);
  });

  it.each([
    ['percentage=12.5', { percentage: 12.5 }],
    ['shares=7', { shares: '7' }],
  ])('behavior: a redeem by %s', async (query, amount) => {
    expectOk(await server.get(`${path}&operation=redeem&chain=base&${query}`));
    expect(server.calls.calls.at(-1)).toEqual({
      operation: 'redeem',
      chain: 'base',
      from,
      vaultId,
      ...amount,
    });
  });

  it.each([
    ['operation', 'operation=rebalance'],
    ['amount', 'operation=deposit'],
    ['amount', 'amount=1e6'],
    ['amount', 'amount=1&amount=2'],
    ['shares', 'amount=1&shares=1'],
    ['percentage', 'amount=1&percentage=1'],
    ['shares', 'operation=redeem'],
    ['shares', 'operation=redeem&shares=1&percentage=1'],
    ['shares', 'operation=redeem&shares=0'],
    ['percentage', 'operation=redeem&percentage=0'],
    ['percentage', 'operation=redeem&percentage=100.1'],
    ['percentage', 'operation=redeem&percentage=1e1'],
    ['amount', 'operation=redeem&percentage=1&amount=1'],
    ['asset', 'amount=1&asset=USDC'],
    ['to', 'amount=1&to=0x1'],
  ])('error: InvalidParametersError names %s of %s', async (field, query) => {
    expectViolations(await server.get(`${path}&${query}`), [field]);
  });

  it('error: InvalidParametersError without a wallet', async () => {
    expectViolations(await server.get(`/v1/yield/calls?vaultId=${vaultId}&amount=1`), ['from']);
  });

  it('error: ChainNotActiveError', async () => {
    expectError(await server.get(`${path}&amount=1&chain=polygon`), 400, 'CHAIN_NOT_ACTIVE');
  });
});
