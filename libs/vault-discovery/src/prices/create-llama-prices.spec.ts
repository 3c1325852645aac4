import { UpstreamFailure } from '@yield-vault/chains';
import { type Address, getAddress, numberToHex } from 'viem';
import { type FakeHttp, type HttpRequest, startFakeHttp } from '../../test/start-fake-http.js';
import { createLlamaPrices } from './create-llama-prices.js';

const usdc: Address = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
const key = `base:${usdc.toLowerCase()}`;
const coin = { decimals: 6, price: 0.99972, symbol: 'USDC', timestamp: 1_789_999_940, confidence: 0.99 };

let service: FakeHttp;
beforeEach(async () => {
  service = await startFakeHttp();
});
afterEach(() => service.stop());
const prices = () => createLlamaPrices({ url: `${service.url}/` });

/** Addresses are checksummed: the service knows only lower case. */
const answerAll = (request: HttpRequest) => {
  const keys = request.path.replace(/^.*\/|\?.*$/g, '').split(',');
  return { coins: Object.fromEntries(keys.map((each) => [each, coin])) };
};

describe('createLlamaPrices', () => {
  it('default: current prices, by chain and contract', async () => {
    service.respondWith({ coins: { [key]: coin } });
    expect(await prices().current(8453, [usdc])).toEqual(
      new Map([[usdc.toLowerCase(), { usd: 0.99972, t: 1_789_999_940 }]]),
    );
    expect(service.requests[0]?.path).toBe(`/prices/current/${key}?searchWidth=2h`);
  });

  it('default: prices of a past time', async () => {
    service.respondWith({ coins: { [key]: coin } });
    expect((await prices().at(8453, [usdc], 1_789_999_200.5)).size).toBe(1);
    expect(service.requests[0]?.path).toBe(`/prices/historical/1789999200/${key}?searchWidth=2h`);
  });

  it('behavior: many assets go in several questions of bounded length', async () => {
    service.respondWith(answerAll);
    const assets = Array.from({ length: 70 }, (_, index) => getAddress(numberToHex(index + 1, { size: 20 })));
    expect((await prices().current(1, assets)).size).toBe(70);
    expect(service.requests).toHaveLength(3);
    for (const { path } of service.requests) expect(path.length).toBeLessThan(2_000);
  });

  it.each([
    ['little confidence', { ...coin, confidence: 0.89 }],
    ['no confidence', { ...coin, confidence: undefined }],
    ['a price of 0', { ...coin, price: 0 }],
    ['a negative price', { ...coin, price: -1 }],
    ['a price in words', { ...coin, price: '1.00' }],
    ['no time', { ...coin, timestamp: undefined }],
    ['nothing', null],
  ])('behavior: a coin with %s is left out, the others stay', async (_, broken) => {
    const other = getAddress(numberToHex(9, { size: 20 }));
    service.respondWith({ coins: { [key]: broken, [`base:${other}`.toLowerCase()]: coin } });
    expect([...(await prices().current(8453, [usdc, other])).keys()]).toEqual([other.toLowerCase()]);
  });

  it('behavior: coins that were not requested are left out', async () => {
    service.respondWith({ coins: { 'base:0x01': coin, [`ethereum:${usdc.toLowerCase()}`]: coin } });
    expect((await prices().current(8453, [usdc])).size).toBe(0);
  });

  it('behavior: an unknown chain is not requested', async () => {
    expect((await prices().current(31_337, [usdc])).size).toBe(0);
    expect(service.requests).toEqual([]);
  });

  it('error: another shape', async () => {
    service.respondWith({ message: 'Internal server error' });
    await expect(prices().current(8453, [usdc])).rejects.toBeInstanceOf(UpstreamFailure);
  });
});
