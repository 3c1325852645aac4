import { simulatedTime } from './simulated-time.js';

describe('simulatedTime', () => {
  it('default: now', () => expect(simulatedTime({ timestamp: 100n }, 200_999)).toBe(200n));
  it.each([100_000, 50_000])('behavior: never the time of the block or before, at %p ms', (now) =>
    expect(simulatedTime({ timestamp: 100n }, now)).toBe(101n),
  );
});
