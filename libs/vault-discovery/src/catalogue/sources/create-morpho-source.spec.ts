import { UpstreamFailure } from '@yield-vault/chains';
import { readFixture } from '../../../test/read-fixture.js';
import { type HttpRequest, useFakeHttp } from '../../../test/start-fake-http.js';
import { createMorphoSource } from './create-morpho-source.js';

const service = useFakeHttp();

const load = () => createMorphoSource({ url: service.url }).load([1, 8453], AbortSignal.timeout(10_000));
const queryOf = ({ body }: HttpRequest) => JSON.parse(body) as { query: string; variables: { skip: number } };

/** Responds as the interface does. */
const responses =
  (overrides: { first?: unknown } = {}) =>
  (request: HttpRequest): unknown => {
    const { query } = queryOf(request);
    const isSecond = query.includes('vaultV2s');
    return isSecond
      ? readFixture('morpho-vault-v2s.json')
      : (overrides.first ?? readFixture('morpho-vaults.json'));
  };

describe('createMorphoSource', () => {
  it('default: vaults of both versions; curators and warnings', async () => {
    service.respondWith(responses());
    const records = await load();
    expect(records).toHaveLength(4);
    expect(records[0]).toEqual({
      chainId: 8453,
      address: '0xbeeF010f9cb27031ad51e3333f9aF9C6B1228183',
      curators: ['Steakhouse Financial'],
      flags: ['warning:market-bad_debt_unrealized'],
    });
    expect(records[3]).toMatchObject({
      curators: ['Steakhouse Financial', 'Gauntlet'],
      flags: ['warning:unrecognized_deposit_asset'],
    });
  });

  it('behavior: a red warning, of the vault or of a market that holds much of it, and a delisting are flags', async () => {
    service.respondWith(responses());
    const [, delisted, inBadMarket] = await load();
    expect(delisted!.flags).toEqual(['morpho-delisted', 'red-warning', 'warning:not_whitelisted']);
    expect(inBadMarket!.flags).toEqual(['red-warning']);
  });

  it('behavior: unknown curators are left out', async () => {
    service.respondWith(responses());
    const [, , losing] = await load();
    expect(losing).toMatchObject({ curators: [] });
  });

  it('behavior: partial results are used when the rest of the query failed', async () => {
    const partial = readFixture('morpho-vaults.json') as { errors: unknown[] };
    expect(partial.errors).toHaveLength(1);
    service.respondWith(responses());
    expect(await load()).toHaveLength(4);
  });

  it('behavior: asks for no field that was taken away, and for no ticker', async () => {
    service.respondWith(responses());
    await load();
    const asked = service.requests.map((request) => queryOf(request).query).join(' ');
    expect(asked).not.toMatch(
      /\b(priceUsd|whitelisted|uniqueKey|dailyApy|weeklyApy|netApyWithoutRewards|rewards)\b/,
    );
  });

  it('behavior: reads page after page', async () => {
    const [vault] = (readFixture('morpho-vaults.json') as { data: { vaults: { items: object[] } } }).data
      .vaults.items;
    const page = (count: number, from: number) => ({
      data: {
        vaults: {
          items: Array.from({ length: count }, (_, index) => ({
            ...vault,
            address: `0x${(from + index).toString(16).padStart(40, '0')}`,
          })),
        },
      },
    });
    service.respondWith((request: HttpRequest) => {
      const { query, variables } = queryOf(request);
      if (query.includes('vaultV2s')) return { data: { vaults: { items: [] } } };
      return variables.skip === 0 ? page(200, 1) : page(3, 201);
    });
    expect(await load()).toHaveLength(203);
  });

  it('behavior: invalid optional facts do not remove a vault’s warnings', async () => {
    const odd = {
      address: '0x616a4E1db48e22028f6bbf20444Cd3b8e3273738',
      chain: { id: 8453 },
      listed: null,
      warnings: [{ type: 'custom', level: 'RED' }],
      state: { totalAssetsUsd: 'much', curators: 'all of us' },
    };
    service.respondWith(responses({ first: { data: { vaults: { items: [odd] } } } }));
    expect((await load())[0]).toEqual({
      chainId: 8453,
      address: odd.address,
      curators: [],
      flags: ['red-warning'],
    });
  });

  it.each([
    ['the query was refused', { data: null, errors: [{ message: 'BAD_USER_INPUT' }] }],
    ['the response has another shape', { data: { vaults: { items: [{ id: 1 }] } } }],
  ])('error: UpstreamFailure: %s', async (reason, first) => {
    service.respondWith(responses({ first }));
    const failure = load();
    await expect(failure).rejects.toBeInstanceOf(UpstreamFailure);
    await expect(failure).rejects.toMatchObject({ dependency: 'morpho', reason });
  });
});
