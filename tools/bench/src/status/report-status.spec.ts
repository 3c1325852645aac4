import { meetsStatusGoals, reportStatus } from './report-status.js';

const run = {
  ...{ name: 'ranges of 10k', ranges: 1_577, firstMs: 400, firstQueries: 9, exactMs: 65_000 },
  ...{ queries: 3_154, requests: 400, requestsAfter: 3 },
};

describe('reportStatus', () => {
  it('default: times and queries', () => {
    expect(reportStatus([run])).toMatch(/ranges of 10k .* 1577 .* 3154 \(2\.00 a range\) .* met /);
    expect(meetsStatusGoals([run])).toBe(true);
  });

  it.each([{ firstMs: 3_001 }, { firstQueries: 11 }, { exactMs: 600_001 }, { requestsAfter: 4 }])(
    'behavior: %p misses a goal',
    (change) => {
      expect(reportStatus([{ ...run, ...change }])).toContain('MISSED');
      expect(meetsStatusGoals([run, { ...run, ...change }])).toBe(false);
    },
  );
});
