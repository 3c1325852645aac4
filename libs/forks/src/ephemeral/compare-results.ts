import type { SimulatedCallResult } from '../types.js';

/**
 * Say in what two back ends differ about the same calls.
 *
 * @returns e.g. `call 1: gasUsed`; empty when they agree
 */
export function compareResults(
  one: readonly SimulatedCallResult[],
  other: readonly SimulatedCallResult[],
): readonly string[] {
  if (one.length !== other.length) return ['number of calls'];
  return one.flatMap((call, index) =>
    (['status', 'gasUsed', 'returnData', 'logs'] as const)
      .filter((part) => normalise(call[part]) !== normalise(other[index]?.[part]))
      .map((part) => `call ${String(index)}: ${part}`),
  );
}

function normalise(part: unknown): string {
  const text = JSON.stringify(part, (_, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  );
  return String(text).toLowerCase();
}
