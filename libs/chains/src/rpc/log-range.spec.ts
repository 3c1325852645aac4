import { createLogRange, type LogRange } from './log-range.js';

/** Query a node with a limit, and count its refusals. */
function query(range: LogRange, limit: bigint, queries: number): number {
  let refusals = 0;
  for (let query = 0; query < queries; query++) {
    const { blocks } = range;
    if (blocks <= limit) range.accepted(blocks);
    else {
      refusals += 1;
      range.refused(blocks);
    }
  }
  return refusals;
}

describe('createLogRange', () => {
  it('default: as large as configured, and never larger', () => {
    const range = createLogRange(10_000n, 10_000n);
    expect(query(range, 1_000_000n, 50)).toBe(0);
    expect(range.blocks).toBe(10_000n);
  });

  it('behavior: finds the limit of a node in few refusals, and stays there', () => {
    const range = createLogRange(10_000n, 10_000n);
    expect(query(range, 2_000n, 40)).toBeLessThan(10);
    expect(query(range, 2_000n, 100)).toBe(0);
    expect(range.blocks).toBeGreaterThan(1_800n);
  });

  it('behavior: grows again after a dense stretch', () => {
    const range = createLogRange(10_000n, 10_000n);
    query(range, 10n, 20);
    expect(range.blocks).toBeLessThanOrEqual(10n);
    query(range, 10_000n, 2_000);
    expect(range.blocks).toBe(10_000n);
  });
});
