import { duration, known, percent, timeLabels, usd, withAge, words } from './format.js';

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

  it('behavior: an unknown value is never 0', () => {
    expect([known(null, usd), known(0, usd)]).toEqual(['unknown', '$0.0']);
  });

  it('default: durations in the largest unit', () => {
    expect([259_200, 86_400, 5_400, 90, 0].map(duration)).toEqual([
      '3 days',
      '1 day',
      '1.5 hours',
      '1.5 minutes',
      '0 seconds',
    ]);
  });

  it('behavior: a time has its age, or its distance in the future', () => {
    const at = (seconds: number) => withAge(new Date(Date.now() + seconds * 1_000).toISOString());
    expect(at(-2 * 86_400)).toMatch(/ \(2 days ago\)$/);
    expect(at(3 * 86_400)).toMatch(/ \(in 3 days\)$/);
  });

  it('behavior: labels of an axis are times within two days, else dates', () => {
    const noon = new Date(2026, 0, 1, 12).getTime() / 1000;
    expect(timeLabels([noon, noon + 3_600])).toEqual(['12:00', '13:00']);
    expect(timeLabels([noon, noon + 3 * 86_400])).toEqual(['1 Jan', '4 Jan']);
    expect(timeLabels([])).toEqual([]);
  });
});
