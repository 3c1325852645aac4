import { type Address, getAddress, numberToHex } from 'viem';
import { silentLogger } from '@yield-vault/protocol';
import { type HttpRequest, useFakeHttp } from '../../test/start-fake-http.js';
import { createLlamaPrices } from './create-llama-prices.js';

const usdc: Address = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
const key = `base:${usdc.toLowerCase()}`;
const coin = { decimals: 6, price: 0.99972, symbol: 'USDC', timestamp: 1_789_999_940, confidence: 0.99 };

const service = useFakeHttp();
let clock: number;
let warnings: number;
beforeEach(() => {
  [clock, warnings] = [t, 0];
});

const hour = 3_600;
const t = 1_790_000_000;
const createPrices = (chainId = 8453) =>
  createLlamaPrices({
    url: `${service.url}/`,
    chain: { key: 'base', chainId },
    logger: { ...silentLogger, warn: () => (warnings += 1) },
    now: () => clock * 1_000,
  });

/** Every coin at the time that was requested; addresses are checksummed: the service knows only lower case. */
const answerAll = ({ path }: HttpRequest) => {
  const timestamp = Number(/historical\/(\d+)/.exec(path)?.[1] ?? clock);
  const keys = path.replace(/^.*\/|\?.*$/g, '').split(',');
  return { coins: Object.fromEntries(keys.map((each) => [each, { ...coin, timestamp }])) };
};

describe('createLlamaPrices', () => {
  it('default: current prices, by chain and contract', async () => {
    service.respondWith({ coins: { [key]: coin } });
    expect(await createPrices()(t, [usdc])).toEqual(new Map([[usdc.toLowerCase(), 0.99972]]));
    expect(service.requests[0]?.path).toBe(`/prices/current/${key}?searchWidth=2h`);
  });

  it('behavior: current prices are requested once a minute', async () => {
    service.respondWith(answerAll);
    const prices = createPrices();
    await Promise.all([prices(t, [usdc]), prices(t, [usdc]), prices(t, [usdc])]);
    expect(service.requests).toHaveLength(1);
    clock += 61;
    await prices(clock, [usdc]);
    expect(service.requests).toHaveLength(2);
  });

  it('behavior: past prices are requested by the hour, once', async () => {
    service.respondWith(answerAll);
    const prices = createPrices();
    const past = t - (t % hour) - 100 * hour;
    expect((await prices(past - 1, [usdc])).size).toBe(1);
    expect((await prices(past + 5, [usdc])).size).toBe(1);
    expect(service.requests.map(({ path }) => path)).toEqual([
      `/prices/historical/${past}/${key}?searchWidth=2h`,
    ]);
  });

  it('behavior: a price of another time is none', async () => {
    service.respondWith({ coins: { [key]: { ...coin, timestamp: t - 2 * hour - 1 } } });
    expect((await createPrices()(t, [usdc])).size).toBe(0);
  });

  it('behavior: a service that fails is logged and requested again', async () => {
    service.respondWith({ message: 'Internal server error' });
    const prices = createPrices();
    expect((await prices(t, [usdc])).size).toBe(0);
    expect(warnings).toBe(1);
    service.respondWith(answerAll);
    expect((await prices(t, [usdc])).size).toBe(1);
  });

  it('behavior: many assets go in several questions of bounded length', async () => {
    service.respondWith(answerAll);
    const assets = Array.from({ length: 70 }, (_, index) => getAddress(numberToHex(index + 1, { size: 20 })));
    expect((await createPrices(1)(t, assets)).size).toBe(70);
    expect(service.requests).toHaveLength(3);
    for (const { path } of service.requests) expect(path.length).toBeLessThan(2_000);
  });

  it.each([
    ['little confidence', { ...coin, confidence: 0.89 }],
    ['a price of 0', { ...coin, price: 0 }],
    ['a price in words', { ...coin, price: '1.00' }],
    ['no time', { ...coin, timestamp: undefined }],
    ['nothing', null],
  ])('behavior: a coin with %s is left out, as are unasked ones, the others stay', async (_, broken) => {
    const other = getAddress(numberToHex(9, { size: 20 }));
    const unasked = { 'base:0x01': coin, [`ethereum:${usdc.toLowerCase()}`]: coin };
    const coins = { ...unasked, [key]: broken, [`base:${other}`.toLowerCase()]: coin };
    service.respondWith({ coins });
    expect([...(await createPrices()(t, [usdc, other])).keys()]).toEqual([other.toLowerCase()]);
  });

  it('behavior: an unknown chain is not requested', async () => {
    expect((await createPrices(31_337)(t, [usdc])).size).toBe(0);
    expect(service.requests).toEqual([]);
  });
});
