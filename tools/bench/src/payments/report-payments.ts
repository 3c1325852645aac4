import { median, renderTable } from '../report.js';
import type { Times } from './measure-payments.js';
import { isExact, type PaymentsRun } from './run-payments.js';

/** Milliseconds that a payment may add, p50. */
const goals = { unpaid: 1, verify: 5 } as const;

/** Whether every goal is met. */
export const meetsPaymentsGoals = (run: PaymentsRun): boolean =>
  addedBy(run.unpaid) <= goals.unpaid && addedBy(run.verify) <= goals.verify && isExact(run.soak);

/** Render the priced route beside the free one. */
export function reportPayments({ database, unpaid, verify, soak }: PaymentsRun): string {
  const { settled, repeated, retried, received } = soak;
  return [
    renderTable(
      ['Payments', 'paid p50', 'free p50', 'added', 'goal', 'result'],
      [
        latencyRow('402 for an unpaid request', unpaid, goals.unpaid),
        latencyRow('until the handler of a paid request starts', verify, goals.verify),
      ],
    ),
    '',
    `Soak: ${String(settled)} payments (${String(repeated)} sent twice, ${String(retried)} responses 503), ` +
      `${String(received)} base units at payTo: each settled once: ${isExact(soak) ? 'met' : 'MISSED'}.`,
    `Ledger in ${database}.`,
  ].join('\n');
}

function latencyRow(name: string, times: Times, goal: number): string[] {
  const added = addedBy(times);
  return [
    ...[name, inMs(median(times.paid)), inMs(median(times.free)), inMs(added)],
    ...[`p50 <= ${String(goal)} ms`, added <= goal ? 'met' : 'MISSED'],
  ];
}

const addedBy = ({ paid, free }: Times): number => median(paid) - median(free);
const inMs = (ms: number): string => `${ms.toFixed(2)} ms`;
