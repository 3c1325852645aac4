import { z } from 'zod';
import { positiveInteger, url, wholeNumber } from './scalars.js';

/** Discovery of vaults. The defaults serve a deployment on real chains. */
export const discoverySchema = z.strictObject({
  registryFile: z.string().min(1).optional(),
  sampler: z.enum(['in-process', 'external']).default('in-process'),
  sampleIntervalSeconds: positiveInteger.default(300),
  followIntervalSeconds: positiveInteger.default(5),
  backfillHours: wholeNumber.default(840),
  maxRankingAgeSeconds: positiveInteger.default(10_800),
  minTvlUsd: wholeNumber.default(100_000),
  multicallBatchSize: positiveInteger.default(200),
  readGasLimit: positiveInteger.default(10_000_000),
  probeIntervalSeconds: positiveInteger.default(1_800),
  maxProbeAgeSeconds: positiveInteger.default(21_600),
  hourlyRetentionDays: positiveInteger.pipe(z.int().min(100)).default(400),
  // Each is off without its URL.
  sources: z
    .strictObject({
      morphoUrl: url.optional(),
      llamaYieldsUrl: url.optional(),
      llamaCoinsUrl: url.optional(),
      kongUrl: url.optional(),
      vaultsFyiUrl: url.optional(),
      vaultsFyiKey: z.string().optional(),
    })
    .prefault({}),
});
