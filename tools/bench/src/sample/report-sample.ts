import { median, renderTable } from '../report.js';
import type { SampleRun } from './run-sample.js';

const maxCalls = 400;

/** Render the calls and the time of one snapshot of all vaults. */
export function reportSample({ vaults, snapshots, ethCalls, sampleMs, rpcMs, stallMs }: SampleRun): string {
  const [sample, rpc] = [median(sampleMs), median(rpcMs)];
  const rows = [
    ['vaults', String(vaults), '-', '-'],
    ['snapshots', String(snapshots), String(vaults), result(snapshots === vaults)],
    ['eth_calls', String(ethCalls), `<= ${String(maxCalls)}`, result(ethCalls <= maxCalls)],
    ['wall time (ms)', sample.toFixed(0), '-', '-'],
    ['the same calls alone (ms)', rpc.toFixed(0), '-', '-'],
    ['ratio', (sample / rpc).toFixed(2), '-', '-'],
    ['longest delay of the event loop (ms)', median(stallMs).toFixed(0), '-', '-'],
  ];
  return [
    renderTable(['one snapshot', 'measured', 'goal', 'result'], rows),
    '',
    `Medians of ${String(sampleMs.length)} rounds in turn; twelve calls at a time in both.`,
  ].join('\n');
}

const result = (isMet: boolean): string => (isMet ? 'met' : 'MISSED');
