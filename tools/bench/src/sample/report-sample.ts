import { median } from '../median.js';
import { renderTable } from '../render-table.js';
import type { SampleRun } from './run-sample.js';

const mostCalls = 400;

/** Render what one snapshot of all vaults takes. */
export function reportSample({ vaults, snapshots, ethCalls, sampleMs, rpcMs, stallMs }: SampleRun): string {
  const [sample, rpc] = [median(sampleMs), median(rpcMs)];
  const rows = [
    ['vaults', String(vaults), '-', '-'],
    ['snapshots', String(snapshots), String(vaults), verdict(snapshots === vaults)],
    ['eth_calls', String(ethCalls), `<= ${String(mostCalls)}`, verdict(ethCalls <= mostCalls)],
    ['wall time (ms)', sample.toFixed(0), '-', '-'],
    ['the same calls alone (ms)', rpc.toFixed(0), '-', '-'],
    ['ratio', (sample / rpc).toFixed(2), '-', '-'],
    ['longest delay of the event loop (ms)', median(stallMs).toFixed(0), '-', '-'],
  ];
  return [
    renderTable(['one snapshot', 'measured', 'goal', 'verdict'], rows),
    '',
    `Medians of ${String(sampleMs.length)} rounds in turn; twelve calls at a time in both.`,
  ].join('\n');
}

const verdict = (isMet: boolean): string => (isMet ? 'met' : 'MISSED');
