import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import vectors from './vectors/metrics-vectors.json' with { type: 'json' };

const recompute = (input: unknown) =>
  spawnSync('python3', ['-B', join(import.meta.dirname, 'vectors/recompute.py')], {
    input: JSON.stringify(input),
    encoding: 'utf8',
  });

describe('recompute.py, written from docs/metrics.md', () => {
  it('default: gets the values of all vectors', () => {
    const { stdout, stderr } = recompute(vectors);
    expect([stderr, stdout]).toEqual(['', expect.stringMatching(/^\d{4,} values are equal\n$/)]);
  });

  it('behavior: finds one that differs by 1e-7', () => {
    const [first, ...others] = vectors.risk;
    const expected = { ...first!.expected, base: first!.expected.base + 1e-7 };
    const { status, stdout } = recompute({ ...vectors, risk: [{ ...first, expected }, ...others] });
    expect([status, stdout]).toEqual([1, expect.stringMatching(/^blue-chip-lending.base: .*\n$/)]);
  });
});
