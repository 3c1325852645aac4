import { renderTable } from '../render-table.js';
import { journeySteps, type JourneyTimes } from './measure-journey.js';

const inMs = (value: number) => value.toFixed(value < 10 ? 1 : 0);

/** The middle of some numbers. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const [low = 0, high = 0] = [sorted[sorted.length % 2 ? middle : middle - 1], sorted[middle]];
  return (low + high) / 2;
}

/** Render the median and the slowest of each step, and of the whole journey. */
export function reportJourney(runs: readonly JourneyTimes[]): string {
  const row = (name: string, values: readonly number[]) => [
    name,
    inMs(median(values)),
    inMs(Math.max(...values)),
  ];
  const totals = runs.map((run) => journeySteps.reduce((total, step) => total + run[step], 0));
  return renderTable(
    [`Milliseconds, ${runs.length} wallets`, 'median', 'slowest'],
    [
      ...journeySteps.map((step) =>
        row(
          step,
          runs.map((run) => run[step]),
        ),
      ),
      row('all requests', totals),
    ],
  );
}
