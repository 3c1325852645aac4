import { hostileBodies } from './hostile-bodies.js';

const examples = [
  { path: '/a', body: { chain: 'base', items: [{ name: 'x' }] } },
  { path: '/b', body: {} },
];
const bodies = hostileBodies(examples, { count: 200, bytes: 65_536 });

describe('hostileBodies', () => {
  it('default: every endpoint gets every kind, at the size', () => {
    const kinds = ['deep', 'long array', 'long string', 'repeated keys', 'wide'];
    for (const path of ['/a', '/b'])
      expect(
        [...new Set(bodies.filter((each) => each.path === path).map(({ kind }) => kind))].sort(),
      ).toEqual(kinds);
    for (const { body } of bodies) {
      expect(Buffer.byteLength(body)).toBeLessThanOrEqual(65_536);
      expect(Buffer.byteLength(body)).toBeGreaterThan(65_000);
    }
  });

  it('behavior: the bodies are JSON, so that only their content can stop them', () => {
    for (const { body } of bodies) expect(() => JSON.parse(body) as unknown).not.toThrow();
  });

  it('behavior: every run sends the same', () => {
    expect(hostileBodies(examples, { count: 200, bytes: 65_536 })).toEqual(bodies);
  });
});
