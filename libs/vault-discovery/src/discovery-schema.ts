import { settings } from '@yield-vault/chains';
import { z } from 'zod';

const { positiveInteger, url, wholeNumber } = settings;
/** `off` turns a setting off that the deployment file turns on. */
const orOff = <T extends z.ZodType>(schema: T) =>
  z
    .literal('off')
    .transform(() => undefined)
    .or(schema)
    .optional();

/** Discovery of vaults. The defaults serve a deployment on real chains. */
export const discoverySchema = z.strictObject({
  registryFile: z.string().min(1).optional(),
  // Offers only vaults with this profile.
  profile: orOff(z.string().min(1)),
  // Between two samples of the head of a chain.
  sampleIntervalSeconds: positiveInteger.default(300),
  // Between two polls for new numbers.
  followIntervalSeconds: positiveInteger.default(5),
  // How far back a chain is read.
  backfillHours: wholeNumber.default(840),
  // Age of the newest snapshot from which a chain counts as stale.
  maxRankingAgeSeconds: positiveInteger.default(10_800),
  // Vaults below it are not listed.
  minTvlUsd: wholeNumber.default(100_000),
  // Between two simulated deposits into a vault, and the age from which one no longer counts.
  probeIntervalSeconds: positiveInteger.default(1_800),
  maxProbeAgeSeconds: positiveInteger.default(21_600),
  // Days for which every hour is kept; after that one snapshot a day.
  hourlyRetentionDays: positiveInteger.pipe(z.int().min(100)).default(400),
  // When the chain no longer has a block that was sampled: `stop` sampling until an operator decides, or `discard` all
  // data of the chain and begin anew.
  onReplacedChain: z.enum(['stop', 'discard']).default('stop'),
  // External services for warnings, prices, charts and rewards. Each is off without its URL.
  sources: z
    .strictObject({
      morphoUrl: orOff(url),
      llamaYieldsUrl: orOff(url),
      llamaCoinsUrl: orOff(url),
      merklUrl: orOff(url),
    })
    .prefault({}),
});

/** The slice of a deployment, with its defaults. */
export type DiscoverySettings = Readonly<z.infer<typeof discoverySchema>>;

/** Settings that have no default here; the others default as in the schema. */
type Required = 'sampleIntervalSeconds' | 'backfillHours' | 'maxRankingAgeSeconds' | 'minTvlUsd';

export type DiscoveryOptions = Pick<DiscoverySettings, Required> & Partial<DiscoverySettings>;

/** URLs of external services. None of them is on the path of a request. */
export type SourceUrls = Readonly<DiscoverySettings['sources']>;
