import { settings } from '@yield-vault/chains';
import { z } from 'zod';

const { addresses, baseUnits, flag, positiveInteger, url, wholeNumber } = settings;

const filled = z.string().min(1);

// Its secret comes from the environment. An empty section in the file counts as absent.
const service = z.strictObject({ url: url.optional(), adminCredential: filled.optional() }).prefault({});

/** Where forks come from, and how many there may be. */
export const forksSchema = z
  .strictObject({
    provider: z.enum(['none', 'service']).default('none'),
    service,
    maxForks: positiveInteger.default(32),
    idleSeconds: positiveInteger.default(900),
  })
  .transform(({ provider, service: { url, adminCredential }, ...limits }, context) => {
    if (provider === 'service' && url && adminCredential) {
      return { provider, url, adminCredential, ...limits };
    }
    if (provider === 'service' && (url || adminCredential)) {
      context.addIssue({ code: 'custom', path: ['service'], message: 'needs both url and adminCredential' });
      return z.NEVER;
    }
    // Calls that need forks return FORKS_NOT_CONFIGURED, so that the rest of the service runs.
    return { provider: 'none' as const, ...limits };
  });

/** Whether a signed intent is simulated before it is submitted. */
export const preflightSchema = z
  .strictObject({
    mode: z.enum(['off', 'enforce']).default('off'),
    concurrency: positiveInteger.default(16),
    queueLimit: wholeNumber.default(256),
    deadlineMs: positiveInteger.default(15_000),
  })
  .transform(({ mode, ...how }) => (mode === 'off' ? { mode } : { mode, ...how }));

const maxEthWeiPerCall = 20_000_000_000_000_000n;
const maxUsdcBaseUnitsPerCall = 50_000_000n;

/** The tools that mint balances on forks. The interface sets the caps; a deployment can only lower them. */
export const testingSchema = z
  .strictObject({
    enabled: flag.default(false),
    maxEthWeiPerCall: baseUnits(maxEthWeiPerCall).default(maxEthWeiPerCall),
    maxUsdcBaseUnitsPerCall: baseUnits(maxUsdcBaseUnitsPerCall).default(maxUsdcBaseUnitsPerCall),
    allowlist: addresses.nullable().default(null),
    publicRpcUrls: flag.default(false),
    publicRpcBaseUrl: url.optional(),
  })
  .transform(({ enabled, ...how }) => (enabled ? { enabled, ...how } : { enabled }));
