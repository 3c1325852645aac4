import { paymasterAllowanceCap, suiteAddresses } from '@yield-vault/contracts';
import { z } from 'zod';
import { environments, type Deployment } from '../deployment.js';
import { chainSchema } from './chain-schema.js';
import { discoverySchema } from './discovery-schema.js';
import { forksSchema, preflightSchema, testingSchema } from './fork-schema.js';
import { paymentsSchema } from './payments-schema.js';
import { baseUnits, positiveInteger, postgresUrl, proxies, wholeNumber } from './scalars.js';

const server = z.strictObject({
  host: z.string().default('127.0.0.1'),
  port: wholeNumber.pipe(z.int().max(65_535)).default(3000),
  bodyLimitBytes: positiveInteger.default(262_144),
  requestTimeoutSeconds: positiveInteger.default(180),
  trustProxy: proxies.default(0),
});

// Both may stand in one file: the URL comes from the environment and wins where it is set.
const database = z
  .strictObject({ url: postgresUrl.optional(), directory: z.string().optional() })
  .transform(({ url, directory }, context): Deployment['database'] => {
    if (url !== undefined) return { url };
    if (directory !== undefined) return { directory };
    context.addIssue({ code: 'custom', message: 'needs a url or a directory' });
    return z.NEVER;
  });

const rateLimits = z
  .strictObject({
    store: z.enum(['memory', 'redis']).optional(),
    redisUrl: z.string().optional(),
    perMinute: z
      .strictObject({
        discover: positiveInteger.default(120),
        status: positiveInteger.default(120),
        history: positiveInteger.default(120),
        prepare: positiveInteger.default(60),
        execute: positiveInteger.default(30),
        setupRelay: positiveInteger.default(30),
        testing: positiveInteger.default(20),
        other: positiveInteger.default(120),
      })
      .prefault({}),
  })
  .transform(({ store, redisUrl, perMinute }, context): Deployment['rateLimits'] => {
    const chosen = store ?? (redisUrl === undefined ? 'memory' : 'redis');
    if (chosen === 'memory') return { store: 'memory', perMinute };
    if (redisUrl !== undefined) return { store: 'redis', redisUrl, perMinute };
    context.addIssue({ code: 'custom', path: ['redisUrl'], message: 'is required by the store redis' });
    return z.NEVER;
  });

const maxUint48 = 2 ** 48 - 1;
const localPaymasters: readonly string[] = (['0.7', '0.8'] as const).map(
  (entryPointVersion) => suiteAddresses({ entryPointVersion }).paymaster,
);

/** The deployment file after interpolation. Strict: a setting that nobody reads is a mistake. */
export const deploymentSchema = z
  .strictObject({
    environment: z.enum(environments),
    server: server.prefault({}),
    database,
    rateLimits: rateLimits.prefault({}),
    intents: z
      .strictObject({
        expirySeconds: positiveInteger.default(600),
        validAfterSeconds: wholeNumber.pipe(z.int().max(maxUint48)).default(0),
        maxSlippageBps: wholeNumber.pipe(z.int().max(9_999)).default(50),
        minShares: positiveInteger.default(1_000).transform(BigInt),
        maxRoundTripLossBps: wholeNumber.pipe(z.int().max(9_999)).default(50),
        maxPriceJumpBps: positiveInteger.default(200),
      })
      .prefault({}),
    setup: z
      .strictObject({
        ticketLifetimeSeconds: positiveInteger.default(900),
        // The executor renews no more, and an agent that verifies its setup signs no more.
        paymasterAllowanceUsdc: baseUnits(paymasterAllowanceCap).default(paymasterAllowanceCap),
      })
      .prefault({}),
    relay: z
      .strictObject({
        executeWaitSeconds: positiveInteger.default(60),
        setupWaitSeconds: positiveInteger.default(120),
      })
      .prefault({}),
    forks: forksSchema.prefault({}),
    preflight: preflightSchema.prefault({}),
    payments: paymentsSchema.prefault({}),
    testing: testingSchema.prefault({}),
    discovery: discoverySchema.prefault({}),
    chains: z
      .record(z.string().regex(/^[a-z][a-z0-9-]*$/, 'must be a lower-case chain key'), chainSchema)
      .refine((chains) => Object.keys(chains).length > 0, 'must have at least one chain'),
  })
  .superRefine((deployment, context) => {
    const refuse: Refuse = (path, message) => context.addIssue({ code: 'custom', path: [...path], message });
    refuseLongWaits(deployment, refuse);
    refuseRepeatedChainIds(deployment, refuse);
    refuseTooFewForks(deployment, refuse);
    refuseManagedSimulations(deployment, refuse);
    refuseSamplerOutOfReach(deployment, refuse);
    refuseUnknownPaymentChains(deployment, refuse);
    if (deployment.environment !== 'local') refuseLocalPaymasterOwner(deployment, refuse);
  });

type Refuse = (path: readonly PropertyKey[], message: string) => void;

function refuseLongWaits({ server, relay, preflight }: Deployment, refuse: Refuse): void {
  const waits = [
    { path: ['relay', 'executeWaitSeconds'], seconds: relay.executeWaitSeconds },
    { path: ['relay', 'setupWaitSeconds'], seconds: relay.setupWaitSeconds },
    {
      path: ['preflight', 'deadlineMs'],
      seconds: preflight.mode === 'off' ? 0 : preflight.deadlineMs / 1000,
    },
  ];
  for (const { path, seconds } of waits) {
    if (seconds < server.requestTimeoutSeconds) continue;
    refuse(path, `must be below server.requestTimeoutSeconds (${server.requestTimeoutSeconds})`);
  }
}

function refuseRepeatedChainIds({ chains }: Deployment, refuse: Refuse): void {
  const keyOf = new Map<number, string>();
  for (const [key, { chainId }] of Object.entries(chains)) {
    const other = keyOf.get(chainId);
    if (other !== undefined) {
      refuse(['chains', key, 'chainId'], `is ${chainId}, which ${other} has already`);
    }
    keyOf.set(chainId, key);
  }
}

function refuseTooFewForks({ chains, forks }: Deployment, refuse: Refuse): void {
  const count = Object.keys(chains).length;
  if (forks.maxForks < count) refuse(['forks', 'maxForks'], `must be at least ${count}: one for each chain`);
}

// A new fork of a managed back end stands on the chain itself: it knows nothing of what wallets did on another fork.
function refuseManagedSimulations({ chains, forks, preflight }: Deployment, refuse: Refuse): void {
  if (preflight.mode === 'off' || preflight.strategy !== 'managed') return;
  const path = ['preflight', 'strategy'];
  if (forks.provider === 'none') refuse(path, 'managed needs forks.provider and what that needs');
  for (const [key, { relayMode }] of Object.entries(chains)) {
    if (relayMode === 'managed-fork')
      refuse(path, `managed does not go with relayMode managed-fork of ${key}`);
  }
}

function refuseSamplerOutOfReach({ database, discovery }: Deployment, refuse: Refuse): void {
  if (discovery.sampler === 'external' && !('url' in database))
    refuse(['discovery', 'sampler'], 'external needs database.url: the embedded database serves one process');
}

function refuseUnknownPaymentChains({ chains, payments }: Deployment, refuse: Refuse): void {
  if (payments.mode === 'off') return;
  const refuseUnknown = (keys: readonly string[], path: readonly string[]) => {
    for (const key of keys)
      if (!(key in chains)) refuse(['payments', ...path], `names ${key}, which is no chain of this file`);
  };
  refuseUnknown(payments.chains, ['chains']);
  if (payments.facilitator.kind === 'embedded')
    refuseUnknown(Object.keys(payments.facilitator.maxFeePerGas), ['facilitator', 'maxFeePerGasGwei']);
}

// The default suite is owned by a key that everybody knows: whoever uses it could empty the paymaster.
function refuseLocalPaymasterOwner({ chains }: Deployment, refuse: Refuse): void {
  for (const [key, chain] of Object.entries(chains)) {
    if (localPaymasters.includes(chain.contracts.paymaster)) {
      const message = 'must name the addresses or a paymasterOwner outside the local environment';
      refuse(['chains', key, 'contracts'], message);
    }
  }
}
