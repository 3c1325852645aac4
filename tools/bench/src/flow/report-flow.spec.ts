import { median } from '../report.js';
import { flowSteps, type FlowTimes } from './measure-flow.js';
import { reportFlow } from './report-flow.js';

const run = (ms: number) => Object.fromEntries(flowSteps.map((step) => [step, ms])) as FlowTimes;

describe('reportFlow', () => {
  it.each([
    [[3], 3],
    [[3, 1, 2], 2],
    [[4, 1, 2, 3], 2.5],
  ])('median of %j is %d', (values, expected) => expect(median(values)).toBe(expected));

  it('behavior: a line per step and the sum', () => {
    const lines = reportFlow([run(10), run(30), run(20)]).split('\n');
    expect(lines).toHaveLength(2 + flowSteps.length + 1);
    expect(lines[2]).toMatch(/^\| discover +\| +20 \| +30 \|$/);
    expect(lines.at(-1)).toMatch(/^\| all requests +\| +200 \| +300 \|$/);
  });
});
