import { median, renderTable } from '../report.js';
import type { RecomputeRun } from './run-recompute.js';

const maxCpuSeconds = 2;
const maxIndexMs = 20;

/** Render the medians beside their goals. */
export function reportRecompute({ vaults, cpuSeconds, delayMs, indexMs }: RecomputeRun): string {
  const [cpu, index] = [median(cpuSeconds), median(indexMs)];
  const rows = [
    ['CPU time (s)', cpu.toFixed(2), `< ${String(maxCpuSeconds)}`, result(cpu < maxCpuSeconds)],
    ['longest delay of the event loop (ms)', median(delayMs).toFixed(1), '-', '-'],
    ['ranking (ms)', index.toFixed(1), `< ${String(maxIndexMs)}`, result(index < maxIndexMs)],
  ];
  return [
    renderTable([`${String(vaults)} vaults`, 'measured', 'goal', 'result'], rows),
    '',
    `31 days of hours for each vault; medians of ${String(cpuSeconds.length)} rounds.`,
  ].join('\n');
}

const result = (isMet: boolean): string => (isMet ? 'met' : 'MISSED');
