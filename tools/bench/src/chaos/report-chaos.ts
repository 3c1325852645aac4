import { renderTable } from '../render-table.js';
import type { Tally } from './tally.js';

const columns = ['rounds', 'right', 'retryable', 'untyped', 'wrong', 'leaked'] as const;
const titles = [
  'rounds',
  'right results',
  'retryable errors',
  'untyped errors',
  'wrong results',
  'leaked processes',
];

/** Render what became of the simulations. */
export function reportChaos(tallies: readonly Tally[]): string {
  const rows = tallies.map((tally) => [tally.scenario, ...columns.map((column) => String(tally[column]))]);
  const verdict = isUnharmed(tallies) ? 'met' : 'missed';
  return `${renderTable(['scenario', ...titles], rows)}\n\nNo untyped error, no wrong result, no process left behind: ${verdict}.`;
}

/** Whether nothing happened that must not. */
export function isUnharmed(tallies: readonly Tally[]): boolean {
  return tallies.every(({ right, untyped, wrong, leaked }) => right > 0 && untyped + wrong + leaked === 0);
}
