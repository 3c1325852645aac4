import { readFixture } from '../../../test/read-fixture.js';
import { type HttpRequest, useFakeHttp } from '../../../test/start-fake-http.js';
import { createMerklSource } from './create-merkl-source.js';

const service = useFakeHttp();
const load = () => createMerklSource({ url: service.url }).load([1, 8453], AbortSignal.timeout(10_000));

interface Opportunity {
  readonly identifier: string;
  readonly nativeApr: unknown;
  readonly aprRecord: { readonly breakdowns: readonly object[] };
  readonly campaigns: readonly { readonly rewardToken: object }[];
}
// Modelled on the types that public clients of the service declare.
const recorded = readFixture('merkl-opportunities.json') as readonly [Opportunity, Opportunity];
const morpho = { token: '0xBAa5CC21fd487B8Fcc2F632f3F4E8D37262a0842', symbol: 'MORPHO' };
const endsAt = '2026-11-30T00:53:20.000Z';

/** Respond with one campaign of the recorded vault, changed. */
const respondWith = (part: object, campaign: object = {}, token: object = {}, opportunity: object = {}) => {
  const [first] = recorded;
  const [known] = first.campaigns;
  const breakdowns = [{ ...first.aprRecord.breakdowns[0], ...part }];
  const campaigns = [{ ...known, rewardToken: { ...known!.rewardToken, ...token }, ...campaign }];
  service.respondWith(() => [{ ...first, aprRecord: { breakdowns }, campaigns, ...opportunity }]);
};
const rewards = async () => (await load()).flatMap((record) => record.rewards ?? []);

describe('createMerklSource', () => {
  it('default: joins the rewards of a vault, the highest first, without its own yield', async () => {
    service.respondWith(() => recorded);
    expect(await load()).toEqual([
      {
        chainId: 8453,
        address: '0xbeeF010f9cb27031ad51e3333f9aF9C6B1228183',
        flags: [],
        rewards: [
          // The target is 6.5 %, and the vault itself pays 4 %.
          { ...morpho, apr: 2.5, endsAt, source: 'merkl' },
          {
            token: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
            symbol: 'USDC',
            apr: 1.33,
            endsAt,
            source: 'merkl',
          },
          { ...morpho, apr: 0.84, endsAt, source: 'merkl' },
        ],
      },
    ]);
  });

  it('behavior: reads page after page, both chains at once', async () => {
    const full = Array.from({ length: 100 }, () => recorded[0]);
    const paths: string[] = [];
    service.respondWith(({ path }: HttpRequest) => {
      paths.push(path);
      return path.endsWith('page=0') ? full : recorded;
    });
    expect((await load())[0]!.rewards).toHaveLength(10);
    const query = 'chainId=1,8453&status=LIVE&campaigns=true&items=100';
    expect(paths).toEqual([0, 1].map((page) => `/v4/opportunities?${query}&page=${page}`));
  });

  it.each<[string, ...Parameters<typeof respondWith>]>([
    ['an APR as text', { value: 'NaN' }],
    ['an absurd APR', { value: 1e300 }],
    ['a negative APR', { value: -1 }],
    ['a target below its own yield', { value: 3, distributionType: 'ERC4626_APR' }],
    ['a target without its own yield', { distributionType: 'AAVE_NET_APR' }, {}, {}, { nativeApr: null }],
    ['a campaign that nobody describes', { identifier: '0xa9' }],
    ['an end that is no date', {}, { endTimestamp: 1e300 }],
    ['chosen wallets alone', {}, { params: { whitelist: ['0x1'] } }],
    ['no address', {}, {}, { address: '0x1' }],
    ['a token of another chain', {}, {}, { chainId: 1 }],
    ['points', {}, {}, { type: 'POINT' }],
    ['a test token', {}, {}, { isTest: true }],
  ])('behavior: leaves out %s', async (_, ...changes) => {
    respondWith(...changes);
    expect(await rewards()).toEqual([]);
  });

  it('behavior: shortens a symbol, and removes what nobody can see', async () => {
    respondWith({}, {}, { symbol: `\u0000\u202eU\nSD${'C'.repeat(200)}` });
    expect((await rewards())[0]!.symbol).toBe(`USD${'C'.repeat(26)}`);
    respondWith({}, {}, { symbol: '\u200b' });
    expect((await rewards())[0]!.symbol).toBe(morpho.token);
  });

  it('error: UpstreamFailure for another shape, and for pages without end', async () => {
    service.respondWith(() => [{ status: 'error' }]);
    await expect(load()).rejects.toMatchObject({ reason: 'the response has another shape' });
    service.respondWith(() => Array.from({ length: 100 }, () => recorded[0]));
    await expect(load()).rejects.toMatchObject({ reason: 'the response does not end' });
  });
});
