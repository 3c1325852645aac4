import type { ExitSample, ExitState } from '../src/ports.js';

/** A vault of 25 million USDC that pays everyone. */
export function buildExit(overrides: Partial<ExitSample> = {}): ExitSample {
  return {
    vault: 1,
    checkedAt: 1_790_000_000,
    method: 'simulated',
    instant: 25_000_000_000_000n,
    totalAssets: 25_000_000_000_000n,
    exitBps: 0,
    accrues: true,
    curve: [{ assets: 25_000_000_000_000n, receivedBps: 10_000 }],
    ...overrides,
  };
}

/** The same at every time. */
export function buildExitState(overrides: Partial<ExitSample> = {}): ExitState {
  const newest = buildExit(overrides);
  const { instant, totalAssets } = newest;
  return {
    newest,
    previous: newest,
    p10: instant === null ? undefined : { instant, fraction: Number(instant) / Number(totalAssets) },
    days: [],
  };
}
