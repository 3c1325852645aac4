/** Share price after hours at 5 % a year. */
export const growth = (hours: number): number => 1.05 ** ((hours * 3_600) / 31_536_000);

/**
 * Expect a number up to a relative tolerance. A deviation of 2e-15 of equal returns is the rounding of a double and nothing
 * else.
 */
export function expectClose(actual: number | null | undefined, expected: number | null | undefined): void {
  if (typeof actual !== 'number' || typeof expected !== 'number') {
    expect(actual ?? null).toBe(expected ?? null);
    return;
  }
  expect(Math.abs(actual - expected)).toBeLessThanOrEqual(Math.max(1e-9 * Math.abs(expected), 1e-12));
}
