import type { ErrorResponse } from '@yield-vault/protocol';
import { buildDeposit, buildRedeem } from '../support/build-requests.js';
import { expectError, expectOk, expectViolations } from '../support/expect-error.js';
import { useServer } from '../support/start-server.js';

const path = '/v1/yield/prepare';
const server = useServer();

describe('POST /v1/yield/prepare', () => {
  it('default: deposit on base', async () => {
    const { agentAddress, vaultId } = buildDeposit();
    const response = await server.post(path, { agentAddress, vaultId, asset: 'USDC', amount: '1.5' });
    expect(response.statusCode).toBe(200);
    expect(server.calls.prepare.at(-1)).toEqual({
      operation: 'deposit',
      chain: 'base',
      agentAddress,
      vaultId,
      asset: 'USDC',
      amount: '1.5',
    });
  });

  it('behavior: an address in any case is passed on in EIP-55 form', async () => {
    for (const spell of [(a: string) => a.toLowerCase(), (a: string) => `0x${a.slice(2).toUpperCase()}`]) {
      const agentAddress = spell('0x70997970C51812dc3A010C7d01b50e0d17dc79C8');
      expectOk(await server.post(path, buildDeposit({ agentAddress })));
      expect(server.calls.prepare.at(-1)?.agentAddress).toBe('0x70997970C51812dc3A010C7d01b50e0d17dc79C8');
    }
  });

  it.each([
    ['by percentage', { percentage: 100 }],
    ['by a small percentage', { percentage: 0.0001 }],
    ['by shares', { percentage: undefined, shares: '1' }],
    ['with the asset', { asset: 'USDC' }],
  ])('behavior: redeem %s', async (_name, overrides) => {
    expectOk(await server.post(path, buildRedeem(overrides)));
  });

  it('behavior: rebalance needs neither amount nor shares', async () => {
    const body = buildRedeem({ operation: 'rebalance', percentage: undefined });
    expectOk(await server.post(path, body));
    expectOk(await server.post(path, { ...body, asset: 'USDC' }));
  });

  it('behavior: a query steers a rebalance', async () => {
    const body = buildRedeem({ operation: 'rebalance', percentage: undefined });
    expectOk(await server.post(`${path}?targetVaultId=12`, body));
    expect(server.calls.prepare.at(-1)).toMatchObject({ operation: 'rebalance', targetVaultId: '12' });
    expectOk(await server.post(`${path}?strategy=minimize_risk&riskTolerance=low`, body));
    expect(server.calls.prepare.at(-1)).toMatchObject({ strategy: 'minimize_risk', riskTolerance: 'low' });
  });

  it.each([
    ['an unknown property', 'target=12', ['target']],
    ['a strategy that does not exist', 'strategy=best', ['strategy']],
    ['two strategies', 'strategy=balanced&strategy=balanced', ['strategy']],
    ['a risk tolerance that does not exist', 'riskTolerance=none', ['riskTolerance']],
    ['a vaultId in hex', 'targetVaultId=0x1', ['targetVaultId']],
  ])('error: InvalidParametersError for a query with %s', async (_name, query, fields) => {
    const body = buildRedeem({ operation: 'rebalance', percentage: undefined });
    expectViolations(await server.post(`${path}?${query}`, body), fields);
  });

  it('error: InvalidParametersError for a query of gasless-setup', async () => {
    const response = await server.post('/v1/yield/gasless-setup?strategy=balanced', {});
    expectViolations(response, ['strategy']);
  });

  it.each([
    ['an unknown operation', { operation: 'withdraw' }, ['operation']],
    ['an address of 39 digits', { agentAddress: `0x${'1'.repeat(39)}` }, ['agentAddress']],
    ['an address of 41 digits', { agentAddress: `0x${'1'.repeat(41)}` }, ['agentAddress']],
    ['an address with 0X', { agentAddress: `0X${'1'.repeat(40)}` }, ['agentAddress']],
    ['an address and a line feed', { agentAddress: `0x${'1'.repeat(40)}\n` }, ['agentAddress']],
    ['a vaultId in hex', { vaultId: '0x1' }, ['vaultId']],
    ['an empty vaultId', { vaultId: '' }, ['vaultId']],
    ['a vaultId with a line feed', { vaultId: '1\n' }, ['vaultId']],
    ['an empty asset', { asset: '' }, ['asset']],
    ['a negative amount', { amount: '-1' }, ['amount']],
    ['an amount with an exponent', { amount: '1e6' }, ['amount']],
    ['an amount that begins with a point', { amount: '.5' }, ['amount']],
    ['an amount that ends with a point', { amount: '5.' }, ['amount']],
    ['an amount in hex', { amount: '0x10' }, ['amount']],
    ['shares with deposit', { shares: '1' }, ['shares']],
    ['percentage with deposit', { percentage: 50 }, ['percentage']],
  ])('error: InvalidParametersError for a deposit with %s', async (_name, overrides, fields) => {
    expectViolations(await server.post(path, buildDeposit(overrides)), fields);
  });

  it.each([
    ['neither shares nor percentage', { percentage: undefined }, ['shares']],
    ['both shares and percentage', { shares: '1' }, ['shares']],
    ['an amount', { amount: '1' }, ['amount']],
    ['percentage 0', { percentage: 0 }, ['percentage']],
    ['a negative percentage', { percentage: -1 }, ['percentage']],
    ['percentage above 100', { percentage: 100.01 }, ['percentage']],
    ['shares 0', { percentage: undefined, shares: '0' }, ['shares']],
    ['shares with a leading zero', { percentage: undefined, shares: '01' }, ['shares']],
    ['shares with a fraction', { percentage: undefined, shares: '1.5' }, ['shares']],
    ['shares null', { percentage: undefined, shares: null }, ['shares']],
    ['percentage null', { percentage: null, shares: undefined }, ['percentage']],
  ])('error: InvalidParametersError for a redeem with %s', async (_name, overrides, fields) => {
    expectViolations(await server.post(path, buildRedeem(overrides)), fields);
  });

  it.each([
    ['amount', { amount: '1' }],
    ['shares', { shares: '1' }],
    ['percentage', { percentage: 1 }],
  ])('error: InvalidParametersError for a rebalance with %s', async (field, extra) => {
    const body = { ...buildRedeem({ operation: 'rebalance', percentage: undefined }), ...extra };
    expectViolations(await server.post(path, body), [field]);
  });

  it.each([
    [{ percentage: undefined }, 'shares or percentage is required with redeem.'],
    [{ shares: '1' }, 'shares is not allowed together with percentage.'],
    [{ percentage: undefined, shares: 100_000_000 }, 'shares must be a string, as "100000000".'],
    // JSON reads another number than the caller wrote.
    [{ vaultId: 2 ** 53 }, 'vaultId must be a string.'],
  ])('behavior: describes the problem with %p in a sentence', async (overrides, detail) => {
    const response = await server.post(path, buildRedeem(overrides));
    expect(response.json<ErrorResponse>().detail).toBe(detail);
  });

  it.each(['chain', 'vaultId', 'asset', 'amount'])(
    'error: InvalidParametersError for a %s of more than 256 characters',
    async (field) => {
      const response = await server.post(path, buildDeposit({ [field]: '9'.repeat(257) }));
      expectViolations(response, [field]);
      expect(response.body.length).toBeLessThan(1_000);
    },
  );

  it('error: ChainNotActiveError', async () => {
    const before = server.calls.prepare.length;
    expectError(await server.post(path, buildDeposit({ chain: 'polygon' })), 400, 'CHAIN_NOT_ACTIVE');
    expect(server.calls.prepare).toHaveLength(before);
  });
});
