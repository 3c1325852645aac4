import { zeroAddress } from 'viem';
import { buildChain, twoChains } from '../test/support/build-chain.js';
import { testOptions } from '../test/support/build-payments.js';
import { buildResource } from '../test/support/build-resource.js';
import { ConfigError } from '@yield-vault/protocol';
import { describePrices, priceResources, type PriceList } from './price-resources.js';
import { toRequirements } from './x402-messages.js';

const list = (parts: Partial<PriceList> = {}, priceUsd = '0.01'): PriceList => ({
  ...testOptions,
  maxTimeoutSeconds: 120,
  resources: { prepare: { method: 'POST', path: '/v1/yield/prepare', priceUsd, description: 'Prepare' } },
  ...parts,
});
const problemsOf = (run: () => unknown): readonly string[] => {
  try {
    run();
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
  }
  return [];
};

describe('priceResources', () => {
  it('default: one set of terms for each chain', () => {
    const { terms, url } = priceResources(list(), twoChains).get('prepare') ?? {};
    expect(url).toBe('https://api.example.com/v1/yield/prepare');
    expect(terms?.map(({ network, amount }) => [network, amount])).toEqual([
      ['eip155:8453', 10_000n],
      ['eip155:1', 10_000n],
    ]);
  });

  it.each([
    ['0.000001', 1n],
    ['0.1', 100_000n],
    ['1.10', 1_100_000n],
    ['0.290000', 290_000n],
    ['123456789.123456', 123_456_789_123_456n],
  ])('behavior: %s USD is exact', (priceUsd, amount) => {
    expect(priceResources(list({}, priceUsd), twoChains).get('prepare')?.terms[0]?.amount).toBe(amount);
  });

  it('behavior: the amount follows the decimals of each token', () => {
    const chain = buildChain({ asset: { ...buildChain().asset, decimals: 18 } });
    expect(priceResources(list(), [chain]).get('prepare')?.terms[0]?.amount).toBe(10n ** 16n);
  });

  it.each(['0.0000001', '0', '0.000000', '-1', '1e-2', '$0.01', '', ' 0.01'])(
    'error: %j is no price',
    (priceUsd) => {
      expect(problemsOf(() => priceResources(list({}, priceUsd), [buildChain()]))).toEqual([
        'the price of prepare must be above zero with at most 6 decimals on base',
      ]);
    },
  );

  it('error: no time in which a payment could be made', () => {
    expect(problemsOf(() => priceResources(list({ maxTimeoutSeconds: 10 }), [buildChain()]))).toEqual([
      'maxTimeoutSeconds must be above 10',
    ]);
  });

  it('error: everything that is missing, at once', () => {
    const nothing = list({ payTo: zeroAddress, publicUrl: '/relative' });
    expect(problemsOf(() => priceResources(nothing, []))).toEqual([
      'payTo is not an address that can receive payments',
      'no chain accepts payments',
      'publicUrl is not an absolute http or https URL',
    ]);
  });
});

describe('describePrices', () => {
  it('default: the price and path of each resource', () => {
    const resource = buildResource();
    expect(describePrices([resource])).toEqual({
      version: 1,
      x402Version: 2,
      resources: ['https://api.example.com/v1/yield/prepare'],
      items: [
        {
          resource: 'https://api.example.com/v1/yield/prepare',
          type: 'http',
          method: 'POST',
          description: 'Prepare a yield operation',
          accepts: resource.terms.map(toRequirements),
        },
      ],
    });
  });
});
