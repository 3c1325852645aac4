import { median } from '../median.js';
import { renderTable } from '../render-table.js';
import type { RecomputeRun, Responsiveness } from './run-recompute.js';

const goalSeconds = 2;

/** Render CPU time and how responsive the process stays. */
export function reportRecompute({ vaults, cpuSeconds, during, without }: RecomputeRun): string {
  const middle = median(cpuSeconds);
  const row = (name: string, { delayP99, delayMax, answerP99 }: Responsiveness) => [
    name,
    ...[delayP99, delayMax, answerP99].map((ms) => ms.toFixed(1)),
  ];
  return [
    `Recompute of ${String(vaults)} vaults with 31 days of hours: ${middle.toFixed(2)} s of CPU ` +
      `(${String(cpuSeconds.length)} rounds, ${Math.min(...cpuSeconds).toFixed(2)} to ` +
      `${Math.max(...cpuSeconds).toFixed(2)} s), goal below ${String(goalSeconds)} s: ` +
      `${middle < goalSeconds ? 'met' : 'MISSED'}.`,
    '',
    renderTable(
      ['event loop (ms)', 'delay p99', 'delay max', 'p99 of an answer'],
      [row('during recompute', during), row('without', without)],
    ),
  ].join('\n');
}
