import { median, renderTable } from '../report.js';
import { flowSteps, type FlowTimes } from './measure-flow.js';

const inMs = (value: number) => value.toFixed(value < 10 ? 1 : 0);

/** Render the median and the slowest time of each step and of all. */
export function reportFlow(runs: readonly FlowTimes[]): string {
  const row = (name: string, values: readonly number[]) => [
    name,
    inMs(median(values)),
    inMs(Math.max(...values)),
  ];
  const totals = runs.map((run) => flowSteps.reduce((total, step) => total + run[step], 0));
  return renderTable(
    [`Milliseconds, ${runs.length} wallets`, 'median', 'slowest'],
    [
      ...flowSteps.map((step) =>
        row(
          step,
          runs.map((run) => run[step]),
        ),
      ),
      row('all requests', totals),
    ],
  );
}
