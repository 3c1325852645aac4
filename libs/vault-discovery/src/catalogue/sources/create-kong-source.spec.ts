import { readFixture } from '../../../test/read-fixture.js';
import { startFakeHttp, type FakeHttp, type HttpRequest } from '../../../test/start-fake-http.js';
import { createKongSource } from './create-kong-source.js';

let service: FakeHttp;
beforeEach(async () => {
  service = await startFakeHttp();
});
afterEach(() => service.stop());

const load = () => createKongSource({ url: service.url }).load([1, 8453], AbortSignal.timeout(10_000));
const answer = () =>
  service.answerWith(({ path }: HttpRequest) =>
    path.endsWith('/list/vaults/1') ? readFixture('kong-vaults.json') : [],
  );

describe('createKongSource', () => {
  it('default: fractions become percent', async () => {
    answer();
    const records = await load();
    expect(service.requests.map(({ path }) => path).sort()).toEqual([
      '/api/rest/list/vaults/1',
      '/api/rest/list/vaults/8453',
    ]);
    expect(records).toHaveLength(3);
    expect(records[0]).toEqual({
      chainId: 1,
      address: '0xBe53A109B494E5c9f97b9Cd39Fe969BE68BF6204',
      name: 'USDC-1 yVault',
      protocol: 'yearn-v3',
      asset: { address: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48', symbol: 'USDC', decimals: 6 },
      apy: 5,
      tvlUsd: 27_961_346.2,
      flags: [],
    });
  });

  it('behavior: a retired vault is flagged, decimals may come as text, a missing number stays out', async () => {
    answer();
    const retired = (await load())[1]!;
    expect(retired).toMatchObject({
      asset: { decimals: 6 },
      flags: ['retired', 'warning:yearn-risk-level-5'],
    });
    expect([retired.apy, retired.tvlUsd]).toEqual([undefined, undefined]);
  });

  it('behavior: an APY of zero is a number; a hidden vault and one without asset are told so', async () => {
    answer();
    const hidden = (await load())[2]!;
    expect(hidden).toMatchObject({ apy: 0, flags: ['warning:hidden'] });
    expect(hidden.asset).toBeUndefined();
  });

  it('behavior: decimals that nobody knows are not 0', async () => {
    const [vault] = readFixture('kong-vaults.json') as [{ asset: object }];
    service.answerWith(({ path }: HttpRequest) =>
      path.endsWith('/1') ? [{ ...vault, asset: { ...vault.asset, decimals: null } }] : [],
    );
    expect((await load())[0]!.asset).toBeUndefined();
  });

  it('error: UpstreamFailure for another shape', async () => {
    service.answerWith({ vaults: [] });
    await expect(load()).rejects.toMatchObject({
      dependency: 'yearn-kong',
      reason: 'the answer has another shape',
    });
  });
});
