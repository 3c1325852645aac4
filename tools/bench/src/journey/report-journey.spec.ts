import { journeySteps, type JourneyTimes } from './measure-journey.js';
import { median, reportJourney } from './report-journey.js';

const run = (ms: number) => Object.fromEntries(journeySteps.map((step) => [step, ms])) as JourneyTimes;

describe('reportJourney', () => {
  it.each([
    [[3], 3],
    [[3, 1, 2], 2],
    [[4, 1, 2, 3], 2.5],
  ])('median of %j is %d', (values, expected) => expect(median(values)).toBe(expected));

  it('behavior: a line per step and the sum', () => {
    const lines = reportJourney([run(10), run(30), run(20)]).split('\n');
    expect(lines).toHaveLength(2 + journeySteps.length + 1);
    expect(lines[2]).toMatch(/^\| discover +\| +20 \| +30 \|$/);
    expect(lines.at(-1)).toMatch(/^\| all requests +\| +200 \| +300 \|$/);
  });
});
