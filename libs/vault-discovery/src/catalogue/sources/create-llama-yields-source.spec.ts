import { readFixture } from '../../../test/read-fixture.js';
import { startFakeHttp, type FakeHttp, type HttpRequest } from '../../../test/start-fake-http.js';
import { createLlamaYieldsSource } from './create-llama-yields-source.js';

let service: FakeHttp;
beforeEach(async () => {
  service = await startFakeHttp();
});
afterEach(() => service.stop());

const load = () => createLlamaYieldsSource({ url: service.url }).load([1, 8453], AbortSignal.timeout(10_000));
const answer = (pools: unknown = readFixture('llama-pools.json')) =>
  service.answerWith(({ path }: HttpRequest) =>
    path === '/pools' ? pools : readFixture('llama-token-address.json'),
  );

describe('createLlamaYieldsSource', () => {
  it('default: joins pools with their tokens; percent stays percent, rewards stay out', async () => {
    answer();
    const records = await load();
    expect(records[0]).toEqual({
      chainId: 8453,
      address: '0xbeeF010f9cb27031ad51e3333f9aF9C6B1228183',
      llamaPool: '747c1d2a-c668-4682-b9f9-296708a3dd90',
      apy: 5,
      tvlUsd: 1_234_567,
      flags: [],
    });
    expect(records[1]).toMatchObject({ apy: 0, flags: ['warning:llama-outlier'] });
  });

  it('behavior: leaves out other chains, tokens that are no address, and pools that share a token', async () => {
    answer();
    expect((await load()).map(({ llamaPool }) => llamaPool!.slice(-2))).toEqual(['90', '02', '07']);
  });

  it('behavior: what is unknown stays out', async () => {
    answer();
    const unknown = (await load())[2]!;
    expect(unknown).toMatchObject({ chainId: 1, address: '0xa3931d71877C0E7a3148CB7Eb4463524FEc27fbD' });
    expect([unknown.apy, unknown.tvlUsd]).toEqual([undefined, undefined]);
  });

  it('error: UpstreamFailure for another shape', async () => {
    answer({ status: 'error' });
    await expect(load()).rejects.toMatchObject({
      dependency: 'defillama-yields',
      reason: 'the answer has another shape',
    });
  });
});
