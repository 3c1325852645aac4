import { percent, timeLabels, usd, words } from './format.js';

describe('format', () => {
  it('default: numbers with fixed digits', () => {
    expect([percent(10), percent(-0.5), usd(9_558_630.41), usd(0)]).toEqual([
      '10.00 %',
      '−0.50 %',
      '$9.6M',
      '$0.0',
    ]);
  });

  it('default: names as words', () => {
    expect(['apyAnomaly', 'minimize_risk', 'tvl'].map(words)).toEqual([
      'APY anomaly',
      'Minimize risk',
      'TVL',
    ]);
  });

  it('behavior: labels of an axis are times within two days, else dates', () => {
    const noon = new Date(2026, 0, 1, 12).getTime() / 1000;
    expect(timeLabels([noon, noon + 3_600])).toEqual(['12:00', '13:00']);
    expect(timeLabels([noon, noon + 3 * 86_400])).toEqual(['1 Jan', '4 Jan']);
    expect(timeLabels([])).toEqual([]);
  });
});
