import { z } from 'zod';
import type { Deployment } from '../deployment.js';
import {
  address,
  addresses,
  baseUnits,
  flag,
  fraction,
  positiveInteger,
  url,
  wholeNumber,
} from './scalars.js';

/** What forks need to know about a chain. */
export const forkFactsSchema = z
  .strictObject({
    opStack: flag.default(false),
    bundlerAccounts: addresses.default([]),
    usdcBalanceSlot: wholeNumber.optional(),
    usdcMasterMinter: address.optional(),
    usdcWhale: address.optional(),
  })
  .prefault({});

const port = wholeNumber.pipe(z.int().max(65_535)).default(0);
const filled = z.string().min(1);

// Sections whose secrets come from the environment: they stand in the file and count when they are filled.
const service = z.strictObject({ url: url.optional(), adminCredential: filled.optional() }).prefault({});
const tenderly = z
  .strictObject({
    baseUrl: url.default('https://api.tenderly.co/api/v1'),
    account: filled.optional(),
    project: filled.optional(),
    accessKey: filled.optional(),
  })
  .prefault({});

// Said at the call that needs forks, in the words of the interface, so that the rest of the service runs.
const notConfigured = { provider: 'none' } as const;

/** Where forks come from, and how many there may be. */
export const forksSchema = z
  .strictObject({
    provider: z.enum(['none', 'anvil', 'service', 'tenderly']).default('none'),
    rpcPort: port,
    stateDirectory: filled.optional(),
    service,
    tenderly,
    maxForks: positiveInteger.default(32),
    maxAgeSeconds: positiveInteger.nullable().default(null),
    idleSeconds: positiveInteger.default(900),
  })
  .transform((forks, context): Deployment['forks'] => {
    const { maxForks, maxAgeSeconds, idleSeconds, provider, rpcPort, stateDirectory } = forks;
    const limits = { maxForks, maxAgeSeconds, idleSeconds };
    switch (provider) {
      case 'none':
        return { ...notConfigured, ...limits };
      case 'anvil':
        return { provider, rpcPort, ...(stateDirectory !== undefined && { stateDirectory }), ...limits };
      case 'service': {
        const { url, adminCredential } = forks.service;
        if (url && adminCredential) return { provider, url, adminCredential, ...limits };
        if (!url && !adminCredential) return { ...notConfigured, ...limits };
        context.addIssue({
          code: 'custom',
          path: ['service'],
          message: 'needs both url and adminCredential',
        });
        return z.NEVER;
      }
      case 'tenderly': {
        const { baseUrl, account, project, accessKey } = forks.tenderly;
        if (account && project && accessKey) {
          return { provider, baseUrl, account, project, accessKey, rpcPort, ...limits };
        }
        if (!account && !project && !accessKey) return { ...notConfigured, ...limits };
        const message = 'needs account, project and accessKey';
        context.addIssue({ code: 'custom', path: ['tenderly'], message });
        return z.NEVER;
      }
    }
  });

/** Whether a signed intent is tried before it is submitted, and how. */
export const preflightSchema = z
  .strictObject({
    mode: z.enum(['off', 'enforce']).default('off'),
    strategy: z.enum(['overlay', 'process', 'upstream-simulate', 'managed']).default('overlay'),
    concurrency: positiveInteger.default(16),
    queueLimit: wholeNumber.default(256),
    deadlineMs: positiveInteger.default(15_000),
    shadowFraction: fraction.default(0),
  })
  .transform(({ mode, ...how }): Deployment['preflight'] => (mode === 'off' ? { mode } : { mode, ...how }));

const maxEthWeiPerCall = 20_000_000_000_000_000n;
const maxUsdcBaseUnitsPerCall = 50_000_000n;

/** The tools that mint balances on forks. The caps are those of the interface and can only be lowered. */
export const testingSchema = z
  .strictObject({
    enabled: flag.default(false),
    maxEthWeiPerCall: baseUnits(maxEthWeiPerCall).default(maxEthWeiPerCall),
    maxUsdcBaseUnitsPerCall: baseUnits(maxUsdcBaseUnitsPerCall).default(maxUsdcBaseUnitsPerCall),
    allowlist: addresses.nullable().default(null),
    publicRpcUrls: flag.default(false),
    publicRpcBaseUrl: url.optional(),
  })
  .transform(({ enabled, ...how }): Deployment['testing'] => (enabled ? { enabled, ...how } : { enabled }));
