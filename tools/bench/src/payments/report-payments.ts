import { median } from '../median.js';
import { percentile95 } from '../preflight/report-preflight.js';
import { renderTable } from '../render-table.js';
import type { Times } from './measure-payments.js';
import { isExact, type PaymentsRun } from './run-payments.js';

/** Most milliseconds that each may add, p50. */
const goals = { unpaid: 1, verify: 5 } as const;

/** Whether every goal is met. */
export const meetsPaymentsGoals = (run: PaymentsRun): boolean =>
  addedBy(run.unpaid) <= goals.unpaid && addedBy(run.verify) <= goals.verify && isExact(run.soak);

/** Render ours beside the stock middleware. */
export function reportPayments(run: PaymentsRun): string {
  const { database, unpaid, verify, rates, soak } = run;
  return [
    renderTable(
      ['Payments', 'ours', 'ours p95', '@x402/express', 'its p95', 'bare', 'ours adds', 'goal', 'verdict'],
      [
        latencyRow('402 for an unpaid request', unpaid, goals.unpaid),
        latencyRow('until the handler is reached, paid', verify, goals.verify),
        ...rates.map(({ concurrency, ours, stock }) => [
          `paid requests, ${String(concurrency)} at a time`,
          ...[`${ours.toFixed(0)}/s`, '-', `${stock.toFixed(0)}/s`, ...Array<string>(5).fill('-')],
        ]),
      ],
    ),
    '',
    `Soak: ${String(soak.answered)} payments settled (${String(soak.repeated)} sent twice, ${String(soak.retried)} ` +
      `answers 503), ${String(soak.received)} base units at payTo: ` +
      `settled x price ${isExact(soak) ? 'to the unit: met' : 'is not that: MISSED'}.`,
    `Ledger in ${database}; the stock middleware keeps none.`,
  ].join('\n');
}

function latencyRow(name: string, times: Times, goal: number): string[] {
  const added = addedBy(times);
  return [
    ...[name, inMs(median(times.ours)), inMs(percentile95(times.ours))],
    ...[inMs(median(times.stock)), inMs(percentile95(times.stock)), inMs(median(times.bare))],
    ...[inMs(added), `p50 <= ${String(goal)} ms`, added <= goal ? 'met' : 'MISSED'],
  ];
}

const addedBy = ({ ours, bare }: Times): number => median(ours) - median(bare);
const inMs = (ms: number): string => `${ms.toFixed(2)} ms`;
