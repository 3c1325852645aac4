import { renderTable } from '../render-table.js';
import { median } from '../journey/report-journey.js';
import type { Sample } from './measure-preflight.js';
import type { PreflightRun } from './run-preflight.js';

/** One line of the report. */
interface Row {
  readonly name: string;
  readonly measured: string;
  readonly p95?: string;
  readonly requests?: string;
  readonly ratio?: number;
  readonly goal?: { readonly text: string; readonly isMet: boolean };
}

/** Tell the value that 95 of 100 do not exceed. */
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
    ['Preflight', 'median', 'p95', 'upstream requests', 'ratio', 'goal', 'verdict'],
    rowsOf(run).map(({ name, measured, p95 = '-', requests = '-', ratio, goal }) => [
      name,
      measured,
      p95,
      requests,
      ratio === undefined ? '-' : `${ratio.toFixed(ratio < 10 ? 1 : 0)}x`,
      goal?.text ?? '-',
      goal ? (goal.isMet ? 'met' : 'MISSED') : '-',
    ]),
  );
}

function rowsOf({
  latency,
  delayed,
  loopback,
  throughput,
  memory,
  recoveryMs,
}: PreflightRun): readonly Row[] {
  const { naive } = delayed;
  const growth = memory.last - memory.first;
  const recovery = percentile95(recoveryMs);
  const rate = throughput.ours / throughput.naive;
  return [
    latencyRow(`naive fork, +${latency} ms`, naive),
    latencyRow(`same block, +${latency} ms`, delayed.sameBlock, naive, { ratio: 200, requests: 0 }),
    latencyRow(`new block, +${latency} ms`, delayed.newBlock, naive, { ratio: 25, requests: 1 }),
    latencyRow(`first-seen operation, +${latency} ms`, delayed.firstSeen, naive, { ratio: 15, requests: 2 }),
    latencyRow(`own process, new block, +${latency} ms`, delayed.process, naive),
    latencyRow('naive fork, loopback', loopback.naive),
    latencyRow('same block, loopback', loopback.sameBlock, loopback.naive),
    latencyRow('new block, loopback', loopback.newBlock, loopback.naive),
    latencyRow('first-seen operation, loopback', loopback.firstSeen, loopback.naive),
    latencyRow('own process, new block, loopback', loopback.process, loopback.naive),
    { name: 'naive forks, throughput', measured: `${throughput.naive.toFixed(0)}/s` },
    {
      name: 'overlays, throughput',
      measured: `${throughput.ours.toFixed(0)}/s`,
      ratio: rate,
      goal: { text: '>= 20x', isMet: rate >= 20 },
    },
    {
      name: 'host memory at 64 at once',
      measured: `${memory.highest.toFixed(0)} MB`,
      goal: { text: '<= 80 MB', isMet: memory.highest <= 80 },
    },
    {
      name: `host memory, growth over ${memory.simulations}`,
      measured: `${memory.first.toFixed(0)} to ${memory.last.toFixed(0)} MB`,
      goal: { text: '<= 5 MB', isMet: growth <= 5 },
    },
    {
      name: 'SIGKILL of the host to the next result',
      measured: inMs(median(recoveryMs)),
      p95: inMs(recovery),
      goal: { text: 'p95 <= 250 ms', isMet: recovery <= 250 },
    },
  ];
}

function latencyRow(
  name: string,
  { ms, requests }: Sample,
  naive?: Sample,
  goal?: { readonly ratio: number; readonly requests: number },
): Row {
  const middle = median(ms);
  const ratio = naive && median(naive.ms) / middle;
  const asked = median(requests);
  return {
    name,
    measured: inMs(middle),
    p95: inMs(percentile95(ms)),
    requests: `${asked}, at most ${Math.max(...requests)}`,
    ratio,
    goal: goal && {
      text: `>= ${goal.ratio}x, ${goal.requests} requests`,
      isMet: (ratio ?? 0) >= goal.ratio && asked <= goal.requests,
    },
  };
}

const inMs = (value: number) => `${value.toFixed(value < 10 ? 1 : 0)} ms`;
