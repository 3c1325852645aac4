import type {
  HistoryPeriod,
  HistoryRequest,
  HistoryResolution,
  HistoryResponse,
} from '@yield-vault/protocol';
import {
  apyWindows,
  measureApy,
  cleanSeries,
  lastPerBucket,
  toSeries,
  daySeconds,
  hourSeconds,
  mean,
  round,
  type SeriesColumns,
} from '@yield-vault/vault-metrics';

const periodSeconds: Readonly<Record<HistoryPeriod, number>> = {
  '1h': hourSeconds,
  '24h': daySeconds,
  '7d': 7 * daySeconds,
  '30d': 30 * daySeconds,
  '90d': 90 * daySeconds,
};
const bucketSeconds: Readonly<Record<HistoryResolution, number>> = { hourly: hourSeconds, daily: daySeconds };
const defaultResolutions: Readonly<Record<HistoryPeriod, HistoryResolution>> = {
  '1h': 'hourly',
  '24h': 'hourly',
  '7d': 'hourly',
  '30d': 'daily',
  '90d': 'daily',
};

const nothing = toSeries([]);

/** Seconds of snapshots that a period needs: its first bucket is whole, and APY and cleaning look back a day. */
export const historySpan = (period: HistoryPeriod): number => periodSeconds[period] + 3 * daySeconds;

/**
 * Build the response of the history endpoint: the last snapshot of each UTC bucket of the period, with the APY of the 24
 * hours before it.
 *
 * @param columns - reaching `historySpan` back; undefined where the vault has no snapshot
 * @param now - Unix seconds
 */
export function buildHistory(
  columns: SeriesColumns | undefined,
  query: HistoryRequest,
  now: number,
): HistoryResponse {
  const resolution = query.resolution ?? defaultResolutions[query.period];
  const { series } = cleanSeries(columns ?? nothing);
  const points = Array.from(series.t, (t, index) => ({
    t,
    apy: round(measureApy(series, apyWindows.now, index).value ?? 0, 4),
    // TVL is NaN without a price.
    tvl: round(series.tvlUsd[index]! || 0, 2),
  }));
  const width = bucketSeconds[resolution];
  const start = now - periodSeconds[query.period];
  // Whole buckets: otherwise a point would be missing until the snapshot of a new hour arrives.
  const since = start - (start % width);
  const data = lastPerBucket(
    points.filter(({ t }) => t >= since),
    width,
  );
  const apys = data.map(({ apy }) => apy);
  const isEmpty = data.length === 0;
  return {
    vaultId: query.vaultId,
    period: query.period,
    resolution,
    data: data.map(({ t, apy, tvl }) => ({ timestamp: new Date(t * 1_000).toISOString(), apy, tvl })),
    summary: {
      avgApy: isEmpty ? 0 : round(mean(apys), 4),
      maxApy: isEmpty ? 0 : Math.max(...apys),
      minApy: isEmpty ? 0 : Math.min(...apys),
      avgTvl: isEmpty ? 0 : round(mean(data.map(({ tvl }) => tvl)), 2),
      dataPoints: data.length,
    },
  };
}
