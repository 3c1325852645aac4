import { percentile95 } from '../preflight/report-preflight.js';
import { median, renderTable } from '../report.js';
import type { PrepareRun, PrepareSample } from './run-prepare.js';

const goals = { trips: 2, ratio: 2.5, buildMs: 3 } as const;

/** Whether every goal is met. */
export function meetsPrepareGoals(run: PrepareRun): boolean {
  return rowsOf(run).every(({ goal }) => goal?.isMet ?? true);
}

/** Render the times beside the time of one round trip, and the goals. */
export function reportPrepare(run: PrepareRun): string {
  return renderTable(
    [
      `Prepare, +${run.latency} ms`,
      ...['p50', 'p95', 'to node', 'to bundler', 'in a row', 'round trips', 'goal', 'result'],
    ],
    rowsOf(run).map(({ name, ms, counts = ['-', '-', '-', '-'], goal }) => [
      name,
      inMs(median(ms)),
      inMs(percentile95(ms)),
      ...counts,
      goal?.text ?? '-',
      goal ? (goal.isMet ? 'met' : 'MISSED') : '-',
    ]),
  );
}

interface Row {
  readonly name: string;
  readonly ms: readonly number[];
  readonly counts?: readonly string[];
  readonly goal?: { readonly text: string; readonly isMet: boolean };
}

function rowsOf({ roundTripMs, samples, buildMs }: PrepareRun): readonly Row[] {
  return [
    { name: 'one round trip', ms: roundTripMs },
    ...samples.map((sample) => rowOf(sample, median(roundTripMs))),
    {
      name: 'CPU of a deposit',
      ms: buildMs,
      goal: { text: `p50 <= ${goals.buildMs} ms`, isMet: median(buildMs) <= goals.buildMs },
    },
  ];
}

function rowOf({ name, ms, nodeRequests, bundlerRequests, trips }: PrepareSample, roundTrip: number): Row {
  const inARow = median(trips);
  const ratio = median(ms) / roundTrip;
  return {
    name,
    ms,
    counts: [counted(nodeRequests), counted(bundlerRequests), counted(trips), `${ratio.toFixed(2)}x`],
    goal: {
      text: `<= ${goals.trips} in a row, <= ${goals.ratio}x`,
      isMet: inARow <= goals.trips && ratio <= goals.ratio,
    },
  };
}

const counted = (counts: readonly number[]) => `${median(counts)}, at most ${Math.max(...counts)}`;
const inMs = (value: number) => `${value.toFixed(value < 10 ? 2 : 0)} ms`;
