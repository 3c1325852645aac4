import type { VaultExitReport } from '@yield-vault/protocol';
import { hourSeconds, round, type RiskInput } from '@yield-vault/vault-metrics';
import type { ExitSample, ExitState } from '../ports.js';
import { isoTime, type Measurement, tvlUsdOf } from './measurement.js';

const maxAgeSeconds = 3 * hourSeconds;
/** Less than this part of the assets is no exit. */
const leastFraction = 0.005;
const maxExitBps = 100;

type Amounts = Pick<ExitSample, 'method' | 'instant' | 'totalAssets'>;

/** The exit that counts at a time (Unix seconds); undefined when it is unknown or too old. */
function currentExit({ exit }: Pick<Measurement, 'exit'>, now: number): ExitState | undefined {
  // Clocks of machines differ, and one may have jumped: a time in the future counts by its distance too.
  return exit && Math.abs(now - exit.newest.checkedAt) <= maxAgeSeconds ? exit : undefined;
}

/** The part of the assets that can leave, at most 1; undefined when unknown. */
export function exitFractionOf({ instant, totalAssets }: Omit<Amounts, 'method'>): number | undefined {
  if (instant === null || totalAssets === 0n) return undefined;
  return Math.min(1, Number(instant) / Number(totalAssets));
}

/** List why nobody should enter a vault that others cannot leave, or only at a cost. */
export function exitExclusions(
  { exit, capability }: Pick<Measurement, 'exit' | 'capability'>,
  now: number,
): string[] {
  const { newest, previous } = currentExit({ exit }, now) ?? {};
  const isShut = ({ method, ...amounts }: Amounts) =>
    method !== 'idle' && (exitFractionOf(amounts) ?? 1) < leastFraction;
  // Between two shut hours, an owner could else make one unknown.
  const hours = newest && previous ? [newest, previous] : [];
  const hasNoExit = hours.some(isShut) && hours.every((hour) => hour.method === 'unknown' || isShut(hour));
  const costsMuch =
    (newest?.exitBps ?? 0) > maxExitBps ||
    (capability?.result === 'ok' && capability.assetsOut * 100n < capability.assetsIn * 99n);
  return [...(hasNoExit ? ['no-exit'] : []), ...(costsMuch ? ['exit-fee'] : [])];
}

type Priced = Pick<Measurement, 'exit' | 'last' | 'vault'>;

/** The inputs of the risk of not getting out. */
export function exitInput(
  measurement: Priced,
  now: number,
): Pick<RiskInput, 'exitUsd' | 'exitFraction' | 'exitFractionP10' | 'exitMethod'> {
  const { newest, p10 } = currentExit(measurement, now) ?? {};
  return {
    exitUsd: usdOf(measurement, newest?.instant) ?? undefined,
    exitFraction: newest && exitFractionOf(newest),
    exitFractionP10: p10 && Math.min(1, p10.fraction),
    exitMethod: newest?.method,
  };
}

/** The exit of a vault on the wire, in USD of now. */
export function exitReport(measurement: Priced, now: number): VaultExitReport {
  const { newest, p10 } = currentExit(measurement, now) ?? {};
  const { exit } = measurement;
  const { exitFraction } = exitInput(measurement, now);
  const usd = (assets: bigint | null | undefined) => usdOf(measurement, assets);
  const ifPriced = <T>(amounts: readonly T[] = []) => (usd(0n) === null ? [] : amounts);
  return {
    instantUsd: usd(newest?.instant),
    p10Usd: usd(p10?.instant),
    method: newest?.method ?? 'unknown',
    checkedAt: exit ? isoTime(exit.newest.checkedAt) : null,
    instantPercent: exitFraction === undefined ? null : exitFraction * 100,
    accrues: newest?.accrues ?? null,
    curve: ifPriced(newest?.curve).map(({ assets, receivedBps }) => ({
      amountUsd: usd(assets)!,
      receivedBps,
    })),
    days: ifPriced(exit?.days).map(({ t, instant }) => ({
      timestamp: isoTime(t),
      instantUsd: usd(instant)!,
    })),
  };
}

/** Null when the amount or the price is unknown. */
function usdOf({ last, vault }: Priced, assets: bigint | null | undefined): number | null {
  if (assets === null || assets === undefined || !last?.priceUsd) return null;
  return round(tvlUsdOf(vault.entry, { ...last, totalAssets: assets }), 2);
}
