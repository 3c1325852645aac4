import { z } from 'zod';
import { createJsonClient } from '../http/create-json-client.js';
import type { RegistryEntry } from '../catalogue/parse-registry.js';

/** One point of an external chart. */
export interface ChartPoint {
  /** Unix seconds. */
  readonly t: number;
  readonly tvlUsd: number;
  /** Yield of the 24 hours before, without rewards; percent a year. */
  readonly apyPercent?: number;
  /** Whole assets for one whole share. */
  readonly sharePrice?: number;
}

/** A service that keeps the past of vaults. */
export interface ExternalChart {
  /**
   * @returns oldest first; empty when the service does not know the vault
   * @throws {UpstreamFailure} when the service is down or its response has another shape
   */
  history(entry: Pick<RegistryEntry, 'llamaPool'>, signal?: AbortSignal): Promise<readonly ChartPoint[]>;
}

const responseSchema = z.object({ status: z.literal('success'), data: z.array(z.unknown()) });
const finite = z.number();
const rowSchema = z.object({
  timestamp: z.iso.datetime({ offset: true }),
  tvlUsd: finite.nonnegative(),
  apy: finite.nullish(),
  apyBase: finite.nullish(),
  apyReward: finite.nullish(),
  pricePerShare: finite.positive().nullish(),
});
type Row = z.infer<typeof rowSchema>;

/** Read the daily charts of DeFiLlama, by the id of the pool; entries without `llamaPool` have none. */
export function createLlamaChart({ url }: { readonly url: string }): ExternalChart {
  const client = createJsonClient({ name: 'defillama-yields' });
  const base = url.replace(/\/+$/, '');
  return {
    history: async ({ llamaPool }, signal) => {
      if (llamaPool === undefined) return [];
      const question = `${base}/chart/${encodeURIComponent(llamaPool)}`;
      const { data } = await client.get(question, responseSchema, signal);
      return data
        .flatMap((row) => {
          const parsed = rowSchema.safeParse(row);
          return parsed.success ? [toChartPoint(parsed.data)] : [];
        })
        .sort((a, b) => a.t - b.t);
    },
  };
}

/**
 * Convert a row of DeFiLlama. Its APYs are percent: 5 is 5 %. Only `apyBase` is the yield of the share price; `apy` is
 * the same without rewards. Prices are in whole tokens, times in ISO 8601.
 */
export function toChartPoint(row: Row): ChartPoint {
  const hasNoRewards = row.apyReward === undefined || row.apyReward === null || row.apyReward === 0;
  return {
    t: Math.floor(Date.parse(row.timestamp) / 1_000),
    tvlUsd: row.tvlUsd,
    apyPercent: row.apyBase ?? (hasNoRewards ? (row.apy ?? undefined) : undefined),
    sharePrice: row.pricePerShare ?? undefined,
  };
}
