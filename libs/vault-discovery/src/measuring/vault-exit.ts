import type { VaultExitReport } from '@yield-vault/protocol';
import { hourSeconds, round, type RiskInput } from '@yield-vault/vault-metrics';
import type { ExitSample, ExitState } from '../ports.js';
import { isoTime, type Measurement, tvlUsdOf } from './measurement.js';

const maxAgeSeconds = 3 * hourSeconds;
/** Less than this part of the assets is no exit. */
const leastFraction = 0.005;
const maxExitBps = 100;
const fractionDigits = 1_000_000_000n;

type Amounts = Pick<ExitSample, 'method' | 'instant' | 'totalAssets'>;

/** The exit that counts at a time (Unix seconds); undefined when it is unknown or too old. */
function currentExit({ exit }: Pick<Measurement, 'exit'>, now: number): ExitState | undefined {
  // Clocks of machines differ, and one may have jumped: a time in the future counts by its distance too.
  return exit && Math.abs(now - exit.newest.checkedAt) <= maxAgeSeconds ? exit : undefined;
}

/** The part of the assets that can leave, at most 1; undefined when unknown. */
export function exitFractionOf({ instant, totalAssets }: Omit<Amounts, 'method'>): number | undefined {
  if (instant === null || totalAssets === 0n) return undefined;
  return Math.min(1, Number((instant * fractionDigits) / totalAssets) / Number(fractionDigits));
}

/** List why nobody should enter a vault that others cannot leave, or only at a cost. */
export function exitExclusions(
  { exit, capability }: Pick<Measurement, 'exit' | 'capability'>,
  now: number,
): string[] {
  const { newest, previous } = currentExit({ exit }, now) ?? {};
  const isShut = (sample: Amounts | undefined) =>
    sample !== undefined && sample.method !== 'idle' && (exitFractionOf(sample) ?? 1) < leastFraction;
  const costsMuch =
    (newest?.exitBps ?? 0) > maxExitBps ||
    (capability?.result === 'ok' && capability.assetsOut * 100n < capability.assetsIn * 99n);
  return [...(isShut(newest) && isShut(previous) ? ['no-exit'] : []), ...(costsMuch ? ['exit-fee'] : [])];
}

/** The inputs of the risk of not getting out. */
export function exitInput(
  measurement: Pick<Measurement, 'exit' | 'last' | 'vault'>,
  now: number,
): Pick<RiskInput, 'exitUsd' | 'exitFraction' | 'exitFractionP10'> {
  const exit = currentExit(measurement, now);
  return {
    exitUsd: usdOf(measurement, exit?.newest.instant) ?? undefined,
    exitFraction: exit && exitFractionOf(exit.newest),
    exitFractionP10: exit?.p10 && Math.min(1, exit.p10.fraction),
  };
}

/** The exit of a vault on the wire, in USD of now. */
export function exitReport(
  measurement: Pick<Measurement, 'exit' | 'last' | 'vault'>,
  now: number,
): VaultExitReport {
  const exit = currentExit(measurement, now);
  const fraction = exit && exitFractionOf(exit.newest);
  const checkedAt = measurement.exit?.newest.checkedAt;
  const usd = (assets: bigint | null | undefined) => {
    const value = usdOf(measurement, assets);
    return value === null ? null : round(value, 2);
  };
  return {
    instantUsd: usd(exit?.newest.instant),
    p10Usd: usd(exit?.p10?.instant),
    method: exit?.newest.method ?? 'unknown',
    checkedAt: checkedAt === undefined ? null : isoTime(checkedAt),
    instantPercent: fraction === undefined ? null : fraction * 100,
    accrues: exit?.newest.accrues ?? null,
    curve: (exit?.newest.curve ?? []).flatMap(({ assets, receivedBps }) => {
      const amountUsd = usd(assets);
      return amountUsd === null ? [] : [{ amountUsd, receivedBps }];
    }),
    days: (measurement.exit?.days ?? []).flatMap(({ t, instant }) => {
      const instantUsd = usd(instant);
      return instantUsd === null ? [] : [{ timestamp: isoTime(t), instantUsd }];
    }),
  };
}

/** Null when the amount or the price is unknown. */
function usdOf(
  { last, vault }: Pick<Measurement, 'last' | 'vault'>,
  assets: bigint | null | undefined,
): number | null {
  if (assets === null || assets === undefined || !last?.priceUsd) return null;
  return tvlUsdOf(vault.entry, { totalAssets: assets, priceUsd: last.priceUsd });
}
