import { median, renderTable } from '../report.js';
import type { PreflightRun, Sample } from './run-preflight.js';

/** One line of the report. */
interface Row {
  readonly name: string;
  readonly measured: string;
  readonly p95?: string;
  readonly requests?: string;
  readonly ratio?: string;
  readonly goal?: { readonly text: string; readonly isMet: boolean };
}

const mostRoundTrips = 1.25;
const mostLocalMs = 15;

/** Return the value that 95 of 100 do not exceed. */
export function percentile95(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * 0.95) - 1] ?? NaN;
}

/** Whether every goal is met. */
export function meetsPreflightGoals(run: PreflightRun): boolean {
  return rowsOf(run).every(({ goal }) => goal?.isMet ?? true);
}

/** Render everything that was measured beside its baseline and its goal. */
export function reportPreflight(run: PreflightRun): string {
  return renderTable(
    ['Preflight', 'median', 'p95', 'requests', 'ratio', 'goal', 'result'],
    rowsOf(run).map(({ name, measured, p95 = '-', requests = '-', ratio = '-', goal }) => [
      name,
      measured,
      p95,
      requests,
      ratio,
      goal?.text ?? '-',
      goal ? (goal.isMet ? 'met' : 'MISSED') : '-',
    ]),
  );
}

function rowsOf({ latency, delayed, local, perSecond }: PreflightRun): readonly Row[] {
  const { roundTrip, naive, sameBlock, newBlock } = delayed;
  const delayedRow = (name: string, ours: Sample): Row => {
    const trips = median(ours.ms) / median(roundTrip.ms);
    const isMet = trips <= mostRoundTrips && ours.requests.every((count) => count === 1);
    return {
      ...row(`${name}, +${latency} ms`, ours),
      ratio: `${trips.toFixed(2)} round trips, ${faster(naive, ours)}`,
      goal: { text: `1 request, <= ${mostRoundTrips} round trips`, isMet },
    };
  };
  return [
    row(`one round trip, +${latency} ms`, roundTrip),
    row(`naive fork, +${latency} ms`, naive),
    delayedRow('same block', sameBlock),
    delayedRow('new block', newBlock),
    { ...row('naive fork, one machine', local.naive), requests: '-' },
    {
      ...row('ours from the second on, one machine', local.ours),
      requests: '-',
      ratio: faster(local.naive, local.ours),
      goal: { text: `<= ${mostLocalMs} ms`, isMet: median(local.ours.ms) <= mostLocalMs },
    },
    { name: 'naive forks per second', measured: perSecond.naive.toFixed(0) },
    {
      name: 'simulations per second',
      measured: perSecond.ours.toFixed(0),
      ratio: `${(perSecond.ours / perSecond.naive).toFixed(0)}x`,
    },
  ];
}

function row(name: string, { ms, requests }: Sample): Row {
  const most = Math.max(...requests);
  return {
    name,
    measured: inMs(median(ms)),
    p95: inMs(percentile95(ms)),
    requests: `${median(requests)}, at most ${most}`,
  };
}

const faster = (naive: Sample, ours: Sample) => `${(median(naive.ms) / median(ours.ms)).toFixed(0)}x`;
const inMs = (value: number) => `${value.toFixed(value < 10 ? 1 : 0)} ms`;
