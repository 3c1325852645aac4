import { renderTable } from '../report.js';
import type { StatusRun } from './run-status.js';

const mostFirstMs = 3_000;
const mostFirstQueries = 10;
const mostExactMs = 600_000;
const mostRequestsAfter = 3;

/** Render how long the past of a wallet takes, and what a status costs before and after. */
export function reportStatus(runs: readonly StatusRun[]): string {
  const header = [
    'status',
    'ranges',
    'first',
    'its queries',
    'exact after',
    'queries',
    'requests',
    'a status then',
    'result',
  ];
  const rows = runs.map((run) => [
    run.name,
    String(run.ranges),
    `${run.firstMs.toFixed(0)} ms`,
    String(run.firstQueries),
    `${(run.exactMs / 1_000).toFixed(0)} s`,
    `${run.queries} (${(run.queries / run.ranges).toFixed(2)} a range)`,
    String(run.requests),
    `${run.requestsAfter} requests`,
    meetsStatusGoals([run]) ? 'met' : 'MISSED',
  ]);
  return [
    renderTable(header, rows),
    '',
    `Goals: ${mostFirstMs} ms, ${mostFirstQueries} queries, ${mostExactMs / 1_000} s, ${mostRequestsAfter} requests.`,
  ].join('\n');
}

/** Whether every run meets every goal. */
export function meetsStatusGoals(runs: readonly StatusRun[]): boolean {
  return runs.every(
    (run) =>
      run.firstMs <= mostFirstMs &&
      run.firstQueries <= mostFirstQueries &&
      run.exactMs <= mostExactMs &&
      run.requestsAfter <= mostRequestsAfter,
  );
}
