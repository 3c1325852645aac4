import { percentile95 } from '../preflight/report-preflight.js';
import { median, renderTable } from '../report.js';
import type { ExecuteRun, ExecuteSample } from './run-execute.js';

const mostOwnMs = 15;

/** Whether both goals are met. */
export function meetsExecuteGoals(run: ExecuteRun): boolean {
  return Object.values(run).every((sample) => median(ownTimes(sample)) <= goalOf(sample));
}

/** Render what execute adds to the bundler's time for the same operations. */
export function reportExecute({ off, enforce }: ExecuteRun): string {
  const row = (name: string, sample: ExecuteSample) => {
    const own = ownTimes(sample);
    const goal = goalOf(sample);
    return [
      name,
      ...[sample.bundler, sample.before, sample.after].map((values) => inMs(median(values))),
      sample === off ? '-' : inMs(median(sample.simulation)),
      inMs(median(own)),
      inMs(percentile95(own)),
      `<= ${inMs(goal)}`,
      median(own) <= goal ? 'met' : 'MISSED',
    ];
  };
  return renderTable(
    [
      ...['Execute, p50', 'bundler', 'before the send', 'after the block', 'simulation'],
      ...['own', 'own p95', 'goal', 'result'],
    ],
    [row('without preflight', off), row('with preflight', enforce)],
  );
}

const ownTimes = ({ before, after }: ExecuteSample) => before.map((ms, index) => ms + after[index]!);
const goalOf = ({ simulation }: ExecuteSample) => mostOwnMs + median(simulation);
const inMs = (value: number) => `${value.toFixed(1)} ms`;
