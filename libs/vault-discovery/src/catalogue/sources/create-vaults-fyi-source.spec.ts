import { readFixture } from '../../../test/read-fixture.js';
import { startFakeHttp, type FakeHttp, type HttpRequest } from '../../../test/start-fake-http.js';
import { createVaultsFyiSource } from './create-vaults-fyi-source.js';

let service: FakeHttp;
beforeEach(async () => {
  service = await startFakeHttp();
});
afterEach(() => service.stop());

const source = (key?: string) => createVaultsFyiSource({ url: service.url, key });
const load = (key?: string) => source(key).load([1, 8453], AbortSignal.timeout(10_000));
const answer = () =>
  service.answerWith(({ path }: HttpRequest) =>
    readFixture(path.includes('page=0') ? 'vaults-fyi-page-0.json' : 'vaults-fyi-page-1.json'),
  );

describe('createVaultsFyiSource', () => {
  it('default: reads page after page; fractions become percent, amounts in text become numbers', async () => {
    answer();
    const records = await load('secret');
    expect(service.requests).toHaveLength(2);
    expect(service.requests[0]!.headers['x-api-key']).toBe('secret');
    expect(records).toHaveLength(3);
    expect(records[0]).toEqual({
      chainId: 8453,
      address: '0xbeeF010f9cb27031ad51e3333f9aF9C6B1228183',
      name: 'Steakhouse USDC',
      protocol: 'morpho',
      asset: { address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', symbol: 'USDC', decimals: 6 },
      curators: ['Steakhouse Financial'],
      apy: 5,
      tvlUsd: 1_000_000.5,
      flags: [],
    });
  });

  it('behavior: asks for what it hides by default, and flags it', async () => {
    answer();
    const records = await load();
    const { path } = service.requests[0]!;
    expect(path).toContain('allowCorrupted=true');
    expect(path).toContain('allowVaultsWithWarnings=true');
    expect(path).toContain('minTvl=0');
    expect(path).toContain('allowedNetworks=mainnet&allowedNetworks=base');
    expect(records[1]!.flags).toEqual(['corrupted', 'warning:vaults-fyi']);
    expect(records[2]).toMatchObject({ curators: ['Moonwell'], flags: ['red-warning'] });
  });

  it('behavior: asks nothing about chains that it does not know', async () => {
    expect(await source().load([31_337], AbortSignal.timeout(1_000))).toEqual([]);
    expect(service.requests).toEqual([]);
  });

  it('error: UpstreamFailure that tells no key, when it refuses the key', async () => {
    service.failNext('http-404', Infinity);
    const failure = await load('secret').then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(failure).toMatchObject({ dependency: 'vaults.fyi', reason: 'HTTP status 404' });
    expect(JSON.stringify(failure) + String(failure)).not.toContain('secret');
  });

  it('error: UpstreamFailure for pages without end', async () => {
    service.answerWith({ nextPage: 1, data: [] });
    await expect(load()).rejects.toMatchObject({ reason: 'the answer does not end' });
  });
});
