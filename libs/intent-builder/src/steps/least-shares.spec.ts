import { minimumOut } from '@yield-vault/protocol';
import fc from 'fast-check';
import { leastShares } from './least-shares.js';

const still = { now: 0, week: 0, month: 0 };
const yearSeconds = 31_536_000;

describe('leastShares', () => {
  it('default: what ten minutes and the age of a quote take at 10 %', () => {
    const quoted = 10n ** 18n;
    // 10^18 / 1.1 ^ (660 / 31 536 000)
    const exact = 999_998_005_306_445_553n;
    const difference = leastShares(quoted, { ...still, now: 10 }, 600) - exact;
    expect(difference * difference).toBeLessThan(100n ** 2n);
  });

  it('behavior: a vault that earns nothing, or loses, gives what it says', () => {
    expect(leastShares(1_000n, still, 600)).toBe(1_000n);
    expect(leastShares(1_000n, { now: -20, week: -3, month: -1 }, 600)).toBe(1_000n);
  });

  it('behavior: the fastest pace counts', () => {
    const fastest = leastShares(10n ** 18n, { ...still, now: 40 }, 600);
    expect(leastShares(10n ** 18n, { now: 1, week: 2, month: 40 }, 600)).toBe(fastest);
  });

  const vaults = fc.record({
    assets: fc.bigInt({ min: 1_000n, max: 10n ** 24n }),
    totalAssets: fc.bigInt({ min: 10n ** 9n, max: 10n ** 30n }),
    totalShares: fc.bigInt({ min: 10n ** 9n, max: 10n ** 30n }),
    apyPercent: fc.double({ min: 0, max: 500, noNaN: true }),
    seconds: fc.integer({ min: 30, max: 86_400 }),
    slippageBps: fc.integer({ min: 0, max: 1_000 }),
    /** When the intent runs, as a part of its life. */
    at: fc.double({ min: 0, max: 1, noNaN: true }),
  });
  const precision = 10n ** 18n;
  /** A vault whose assets grow by its APY, and that rounds as ERC-4626 wants it. */
  const sharesAt = (
    {
      assets,
      totalAssets,
      totalShares,
      apyPercent,
    }: { [K in 'assets' | 'totalAssets' | 'totalShares']: bigint } & {
      apyPercent: number;
    },
    seconds: number,
  ): bigint => {
    const growth = Math.expm1((Math.log1p(apyPercent / 100) * seconds) / yearSeconds);
    const grown = (totalAssets * (precision + BigInt(Math.floor(growth * 1e18)))) / precision;
    return (assets * totalShares) / grown;
  };

  it('property: an honest deposit never falls below its minimum, whenever it runs', () => {
    fc.assert(
      fc.property(vaults, ({ seconds, slippageBps, at, ...vault }) => {
        const apy = { ...still, now: vault.apyPercent };
        const minimum = minimumOut(leastShares(sharesAt(vault, 0), apy, seconds), slippageBps);
        const brought = sharesAt(vault, seconds * at);
        fc.pre(brought > 0n);
        expect(brought).toBeGreaterThanOrEqual(minimum);
      }),
      { numRuns: 1_000 },
    );
  });

  it('property: it is no looser than the slippage, the growth and a minute of it', () => {
    fc.assert(
      fc.property(vaults, ({ seconds, slippageBps, ...vault }) => {
        const apy = { ...still, now: vault.apyPercent };
        const minimum = minimumOut(leastShares(sharesAt(vault, 0), apy, seconds), slippageBps);
        const tightest = minimumOut(sharesAt(vault, seconds + 61), slippageBps);
        // Assets come in whole base units, and growth in 53 bits.
        const rounding = tightest / vault.totalAssets + tightest / 10n ** 15n + 3n;
        expect(minimum).toBeGreaterThanOrEqual(tightest - rounding);
      }),
      { numRuns: 1_000 },
    );
  });
});
