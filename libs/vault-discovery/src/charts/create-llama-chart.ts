import { z } from 'zod';
import { createJsonClient } from '../http/create-json-client.js';
import type { ChartPoint, ExternalChart } from './types.js';

const answerSchema = z.object({ status: z.literal('success'), data: z.array(z.unknown()) });
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

export interface LlamaChartOptions {
  /** Of the yields service, e.g. `https://yields.llama.fi`. */
  readonly url: string;
  /** Longest time that one question may take, repetitions included. */
  readonly deadlineMs?: number;
}

/** Read the daily charts of DeFiLlama, by the id of the pool; entries without `llamaPool` have none. */
export function createLlamaChart({ url, deadlineMs }: LlamaChartOptions): ExternalChart {
  const client = createJsonClient({ name: 'defillama-yields', deadlineMs });
  const base = url.replace(/\/+$/, '');
  return {
    history: async ({ llamaPool }, signal) => {
      if (llamaPool === undefined) return [];
      const question = `${base}/chart/${encodeURIComponent(llamaPool)}`;
      const { data } = await client.get(question, answerSchema, { signal });
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
 * The one place where units of DeFiLlama become ours. Its APYs are percent already: 5 is 5 %. Only `apyBase` is what
 * the share price earns; `apy` is that too where no rewards are in it. Prices are in whole tokens, times in ISO 8601.
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
