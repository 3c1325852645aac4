import { localVaults } from '@yield-vault/testing/local';
import { type AlternativesResponse, vaultIdOf, type VaultQuote } from '@yield-vault/protocol';
import { type ApiClient, createApiClient } from '../test/support/api-client.js';
import { sharedServer } from '../test/support/devnet.js';

const vaults = localVaults[8453].filter(({ kind, asset }) => kind === 'steady' && asset === 'USDC');
const [vault] = vaults.sort((a, b) => a.apyPercent - b.apyPercent);
const vaultId = vaultIdOf(8453, vault!.address);
const path = `/v1/yield/vaults/${vaultId}`;

describe('quotes', () => {
  let api: ApiClient;
  beforeAll(async () => {
    api = await createApiClient(sharedServer('default'));
  });

  /** The formula of docs/metrics.md. */
  const netApyOf = ({ amount, apyAfter, days, gas, fees }: VaultQuote) => {
    const grown = (1 + apyAfter / 100) ** (days / 365) * (1 - (fees.exitBps ?? 0) / 10_000);
    const left = Math.max(0, grown - (gas.inUsd + gas.outUsd) / Number(amount));
    return (left ** (365 / days) - 1) * 100;
  };

  it('default: the rate and the price of the vault, and what gas leaves of them', async () => {
    const { body, status } = await api.call('GET', `${path}/quote?amount=25000&days=90`);
    const quote = body as VaultQuote;
    expect([status, quote.amount, quote.days]).toEqual([200, '25000', 90]);
    expect(quote.apyAfter).toBeCloseTo(vault!.apyPercent, 3);
    const wholeShares = Number(quote.sharesOut) / 10 ** quote.shareDecimals;
    expect(wholeShares * (await api.explain(vaultId)).sharePrice).toBeCloseTo(25_000, -1);
    for (const usd of Object.values(quote.gas)) expect(usd > 0 && usd < 1).toBe(true);
    expect(quote.netApy).toBeCloseTo(netApyOf(quote), 3);
    expect(quote.netApy).toBeLessThan(quote.apyAfter);
  });

  it.each(['1', '1000000'])('behavior: %s USDC: the decision follows from its quotes', async (amount) => {
    const { body } = await api.call(
      'GET',
      `${path}/alternatives?amount=${amount}&days=365&riskTolerance=high`,
    );
    const { decision, from, best, candidates } = body as AlternativesResponse;
    expect(candidates).toHaveLength(5);
    for (const quote of [from, ...candidates]) expect(quote.netApy).toBeCloseTo(netApyOf(quote), 3);
    expect(decision).toBe(best!.netApy! > from.netApy! ? 'MOVE' : 'HOLD');
  });

  it('error: 404 for an unknown vault, 400 for an amount that the asset cannot have', async () => {
    const unknown = await api.refused('GET', '/v1/yield/vaults/1/quote?amount=1');
    expect([unknown.status, unknown.body.code]).toEqual([404, 'NOT_FOUND']);
    const fine = await api.refused('GET', `${path}/alternatives?amount=0.0000001`);
    expect([fine.status, fine.body.details]).toMatchObject([400, { violations: [{ field: 'amount' }] }]);
  });
});
