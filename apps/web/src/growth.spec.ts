import { valueAfter } from './growth.js';

it('default: a deposit compounds at the APY, in milliseconds', () => {
  expect(valueAfter(0, 10)).toBe(10_000);
  expect(valueAfter(365 * 86_400_000, 10)).toBeCloseTo(11_000, 6);
  // An APY of 10 % is 0.0000302 USDC a second.
  expect(valueAfter(1_000, 10) - 10_000).toBeCloseTo(0.0000302, 6);
});
