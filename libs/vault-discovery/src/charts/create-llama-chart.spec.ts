import { UpstreamFailure } from '@yield-vault/chains';
import { useFakeHttp } from '../../test/start-fake-http.js';
import { createLlamaChart, toChartPoint } from './create-llama-chart.js';

const llamaPool = '5b1a77ee-9b8e-4a43-a1c1-3f2b1f9c7a10';
/** As the service writes it. */
const row = {
  timestamp: '2026-10-02T23:01:13.512Z',
  tvlUsd: 52_340_912,
  apy: 6.11238,
  apyBase: 4.20011,
  apyReward: 1.91227,
  il7d: null,
  apyBase7d: null,
  pricePerShare: 1.07231,
};
const seconds = Date.UTC(2026, 9, 2, 23, 1, 13) / 1_000;

const service = useFakeHttp();
const chart = () => createLlamaChart({ url: service.url });

describe('toChartPoint', () => {
  it('default: percent stays percent, rewards stay out, times become seconds', () => {
    expect(toChartPoint(row)).toEqual({
      t: seconds,
      tvlUsd: 52_340_912,
      apyPercent: 4.20011,
      sharePrice: 1.07231,
    });
  });

  it.each([
    ['no rewards are reported', { apyBase: null, apyReward: null }, 6.11238],
    ['rewards are in it', { apyBase: null }, undefined],
    ['nothing is reported', { apy: null, apyBase: null, apyReward: null }, undefined],
    ['it is 0', { apyBase: 0 }, 0],
    ['it is a loss', { apyBase: -3.5 }, -3.5],
  ])('behavior: the yield of the share price when %s', (_, change, apyPercent) => {
    expect(toChartPoint({ ...row, ...change }).apyPercent).toBe(apyPercent);
  });
});

describe('createLlamaChart', () => {
  it('default: the days of a pool, oldest first', async () => {
    const later = { ...row, timestamp: '2026-10-03T23:02:00.000Z' };
    service.respondWith({ status: 'success', data: [later, row] });
    expect((await chart().history({ llamaPool })).map(({ t }) => t)).toEqual([seconds, seconds + 86_447]);
    expect(service.requests[0]?.path).toBe(`/chart/${llamaPool}`);
  });

  it('behavior: entries without a pool are not requested', async () => {
    expect(await chart().history({})).toEqual([]);
    expect(service.requests).toEqual([]);
  });

  it.each([
    ['a time that is none', { ...row, timestamp: 'yesterday' }],
    ['no TVL', { ...row, tvlUsd: null }],
    ['a negative TVL', { ...row, tvlUsd: -1 }],
    ['a share price of 0', { ...row, pricePerShare: 0 }],
    ['nothing', null],
  ])('behavior: a row with %s is left out, the others stay', async (_, broken) => {
    service.respondWith({ status: 'success', data: [broken, row] });
    expect(await chart().history({ llamaPool })).toEqual([toChartPoint(row)]);
  });

  it('error: another shape', async () => {
    service.respondWith('invalid configID!');
    await expect(chart().history({ llamaPool })).rejects.toBeInstanceOf(UpstreamFailure);
  });
});
