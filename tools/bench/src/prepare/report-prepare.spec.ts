import { meetsPrepareGoals, reportPrepare } from './report-prepare.js';
import type { PrepareRun, PrepareSample } from './run-prepare.js';

const sample = (overrides: Partial<PrepareSample> = {}): PrepareSample => ({
  name: 'deposit',
  ms: [110, 120, 130],
  nodeRequests: [1, 1, 1],
  bundlerRequests: [2, 2, 2],
  trips: [2, 2, 2],
  ...overrides,
});
const run = (overrides: Partial<PrepareRun> = {}): PrepareRun => ({
  latency: 50,
  roundTripMs: [49, 50, 51],
  samples: [sample()],
  buildMs: [1, 2, 9],
  ...overrides,
});

describe('reportPrepare', () => {
  it('default: a line for each kind, beside one round trip', () => {
    const cells = reportPrepare(run())
      .split('\n')
      .map((line) => line.split('|').map((cell) => cell.trim()));
    expect(cells).toHaveLength(2 + 3);
    const counts = ['1, at most 1', '2, at most 2', '2, at most 2', '2.40x'];
    expect(cells[3]).toEqual([
      ...['', 'deposit', '120 ms', '130 ms', ...counts, '<= 2 in a row, <= 2.5x', 'met', ''],
    ]);
    expect(cells[4]).toEqual([
      ...['', 'CPU of a deposit', '2.00 ms', '9.00 ms', '-', '-', '-', '-', 'p50 <= 3 ms', 'met', ''],
    ]);
  });

  it.each([
    ['all is well', run(), true],
    ['a busy machine made one request late', run({ samples: [sample({ trips: [2, 3, 2] })] }), true],
    ['there is a third round trip', run({ samples: [sample({ trips: [3, 3, 2] })] }), false],
    ['the median is too slow', run({ samples: [sample({ ms: [110, 126, 130] })] }), false],
    ['building is too slow', run({ buildMs: [1, 3.1, 4] }), false],
  ])('behavior: %s', (_, measured, isMet) => expect(meetsPrepareGoals(measured)).toBe(isMet));
});
