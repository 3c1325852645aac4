import { median, renderTable } from '../report.js';
import { maximumDelayMs, type BodyResult } from './run-bodies.js';

/** Render the delays by endpoint and kind, with the worst of each. */
export function reportBodies(results: readonly BodyResult[]): string {
  const nameOf = ({ path, kind }: BodyResult) => `${path}, ${kind}`;
  const rows = [...new Set(results.map(nameOf))].map((name) =>
    rowOf(
      name,
      results.filter((result) => nameOf(result) === name),
    ),
  );
  const header = ['bodies of 256 KiB', 'count', 'status', 'median (ms)', 'worst (ms)', 'goal', 'result'];
  return renderTable(header, [...rows, rowOf('all', results)]);
}

function rowOf(name: string, results: readonly BodyResult[]): string[] {
  const delays = results.map(({ delayMs }) => delayMs);
  return [
    name,
    String(results.length),
    [...new Set(results.map(({ status }) => status))].sort().join(' '),
    median(delays).toFixed(1),
    Math.max(...delays).toFixed(1),
    `<= ${maximumDelayMs}`,
    meetsBodiesGoal(results) ? 'met' : 'MISSED',
  ];
}

/** Whether no body held the event loop for too long, and none failed inside. */
export const meetsBodiesGoal = (results: readonly BodyResult[]): boolean =>
  results.every(({ status, delayMs }) => status !== 500 && delayMs <= maximumDelayMs);
