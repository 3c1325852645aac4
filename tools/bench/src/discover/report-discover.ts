import { median, renderTable } from '../report.js';
import type { DiscoverResult, DiscoverRun } from './run-discover.js';

/** Least ratio to the bare handler by number of vaults. */
const ratioGoals = new Map([[10_000, 0.8]]);
const rawRatioGoal = 0.5;
const maxExtraMs = 3;

/** Render the routes side by side, with their goals. */
export function reportDiscover({ database, results }: DiscoverRun): string {
  const header = [
    ...['vaults', 'discover (req/s)', 'bare handler', 'ratio', 'least to most', 'goal', 'result'],
    ...['raw Fastify', 'ratio', 'least to most', 'goal', 'result'],
    ...['CPU (us)', 'raw CPU', 'ratio'],
    ...['p99 (ms)', 'bare p99', 'goal', 'result'],
  ];
  return [
    renderTable(header, results.map(rowOf)),
    '',
    `Reports in ${database}; ten connections; medians of ${String(results[0]?.ratios.length ?? 0)} rounds.`,
  ].join('\n');
}

function rowOf({ vaults, discover, bare, raw, ratios, rawRatios }: DiscoverResult): string[] {
  const ratio = median(ratios);
  const goal = ratioGoals.get(vaults);
  const ends = (sorted: readonly number[]) =>
    [sorted[0], sorted.at(-1)].map((each) => (each ?? NaN).toFixed(2)).join(' to ');
  return [
    String(vaults),
    discover.requestsPerSecond.toFixed(0),
    bare.requestsPerSecond.toFixed(0),
    ratio.toFixed(2),
    ends(ratios),
    goal === undefined ? '-' : `>= ${String(goal)}`,
    goal === undefined ? '-' : result(ratio >= goal),
    raw.requestsPerSecond.toFixed(0),
    median(rawRatios).toFixed(2),
    ends(rawRatios),
    `>= ${String(rawRatioGoal)}`,
    result(median(rawRatios) >= rawRatioGoal),
    ...[discover, raw].map(({ cpuMicroseconds }) => cpuMicroseconds.toFixed(0)),
    (raw.cpuMicroseconds / discover.cpuMicroseconds).toFixed(2),
    discover.p99.toFixed(2),
    bare.p99.toFixed(2),
    `+ ${String(maxExtraMs)} ms`,
    result(discover.p99 - bare.p99 <= maxExtraMs),
  ];
}

const result = (isMet: boolean): string => (isMet ? 'met' : 'MISSED');
