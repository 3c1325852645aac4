import { readFixture } from '../../../test/read-fixture.js';
import { type HttpRequest, useFakeHttp } from '../../../test/start-fake-http.js';
import { createLlamaYieldsSource } from './create-llama-yields-source.js';

const service = useFakeHttp();

const load = () => createLlamaYieldsSource({ url: service.url }).load([1, 8453], AbortSignal.timeout(10_000));
const respond = (pools: unknown = readFixture('llama-pools.json')) =>
  service.respondWith(({ path }: HttpRequest) =>
    path === '/pools' ? pools : readFixture('llama-token-address.json'),
  );

describe('createLlamaYieldsSource', () => {
  it('default: joins pools with their tokens', async () => {
    respond();
    const records = await load();
    expect(records[0]).toEqual({
      chainId: 8453,
      address: '0xbeeF010f9cb27031ad51e3333f9aF9C6B1228183',
      llamaPool: '747c1d2a-c668-4682-b9f9-296708a3dd90',
      flags: [],
    });
    expect(records[1]).toMatchObject({ flags: ['warning:llama-outlier'] });
  });

  it('behavior: leaves out other chains, tokens that are no address, and pools that share a token', async () => {
    respond();
    expect((await load()).map(({ llamaPool }) => llamaPool!.slice(-2))).toEqual(['90', '02', '07']);
  });

  it('error: UpstreamFailure for another shape', async () => {
    respond({ status: 'error' });
    await expect(load()).rejects.toMatchObject({
      dependency: 'defillama-yields',
      reason: 'the response has another shape',
    });
  });
});
