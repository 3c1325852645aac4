import { chainSchema, settings, type ChainConfig, type Immutable } from '@yield-vault/chains';
import { findChainFacts, hasKnownKey, localContracts } from '@yield-vault/contracts';
import { databaseSchema } from '@yield-vault/database';
import { relaySchema } from '@yield-vault/execution-relay';
import { forksSchema, preflightSchema, testingSchema } from '@yield-vault/forks';
import { intentsSchema, setupSchema } from '@yield-vault/intent-builder';
import { paymentsSchema } from '@yield-vault/payments';
import { environments } from '@yield-vault/protocol';
import { discoverySchema } from '@yield-vault/vault-discovery';
import { z } from 'zod';
import { rateLimitsSchema, serverSchema } from './server-schema.js';

const deploymentShape = z.strictObject({
  environment: z.enum(environments),
  server: serverSchema.prefault({}),
  /**
   * Who does everything that runs by itself: sampling, sweeps, the past of wallets. `in-process`: one of the servers.
   * `external`: apps/worker.
   */
  worker: z.enum(['in-process', 'external']).default('in-process'),
  database: databaseSchema,
  rateLimits: rateLimitsSchema.prefault({}),
  intents: intentsSchema
    .extend({
      /** How long an intent is kept after its expiry. */
      archiveDays: settings.positiveInteger.pipe(z.int().max(36_500)).default(400),
    })
    .prefault({}),
  setup: setupSchema.prefault({}),
  relay: relaySchema.prefault({}),
  forks: forksSchema.prefault({}),
  preflight: preflightSchema.prefault({}),
  payments: paymentsSchema.prefault({}),
  /** Keeps the price of our paymasters fresh. Without a key nobody does, until the last tenth of its life. */
  keeper: z
    .strictObject({
      /** Of an account that nothing else uses, with some ETH on each chain. */
      privateKey: settings.privateKey.optional(),
      /** The price is refreshed when the feeds differ by more. */
      deviationBps: settings.positiveInteger.default(50),
      /** Most that the L2 gas of one refresh may cost, in base units of USDC. */
      maxCostUsdc: settings.baseUnits(1_000_000_000n).default(25_000_000n),
    })
    .prefault({}),
  testing: testingSchema.prefault({}),
  discovery: discoverySchema.prefault({}),
  /** By chain key, such as `base`. */
  chains: z
    .record(z.string().regex(/^[a-z][a-z0-9-]*$/, 'must be a lower-case chain key'), chainSchema)
    .refine((chains) => Object.keys(chains).length > 0, 'must have at least one chain'),
});

/** A parsed deployment file: complete, checked and frozen. */
export type Deployment = Immutable<Omit<z.output<typeof deploymentShape>, 'chains'>> & {
  readonly chains: Readonly<Record<string, ChainConfig>>;
};

/** The deployment file after interpolation. An unknown setting is an error. */
export const deploymentSchema = deploymentShape.superRefine((deployment, context) => {
  const refuse: Refuse = (path, message) => context.addIssue({ code: 'custom', path: [...path], message });
  refuseLongWaits(deployment, refuse);
  refuseRepeatedChainIds(deployment, refuse);
  refuseTooFewForks(deployment, refuse);
  refuseWorkerOutOfReach(deployment, refuse);
  refuseWrongPayments(deployment, refuse);
  if (deployment.environment === 'local') return;
  refuseKnownKeys(deployment, refuse);
  refuseDiscarding(deployment, refuse);
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
      refuse(['chains', key, 'chainId'], `is ${chainId}, which ${other} already has`);
    }
    keyOf.set(chainId, key);
  }
}

function refuseTooFewForks({ chains, forks }: Deployment, refuse: Refuse): void {
  const count = Object.keys(chains).length;
  if (forks.maxForks < count) refuse(['forks', 'maxForks'], `must be at least ${count}: one for each chain`);
}

function refuseWorkerOutOfReach({ database, worker }: Deployment, refuse: Refuse): void {
  if (worker === 'external' && !('url' in database))
    refuse(['worker'], 'external needs database.url: the embedded database serves one process');
}

// A wrong node would delete history that nobody can read again.
function refuseDiscarding({ discovery }: Deployment, refuse: Refuse): void {
  if (discovery.onReplacedChain === 'discard')
    refuse(['discovery', 'onReplacedChain'], 'must be stop outside the local environment');
}

function refuseWrongPayments({ environment, chains, payments }: Deployment, refuse: Refuse): void {
  if (payments.mode === 'off') return;
  for (const key of payments.chains)
    if (!(key in chains)) refuse(['payments', 'chains'], `names ${key}, which is not a chain of this file`);
  if (environment === 'production' && payments.facilitator.kind === 'embedded')
    refuse(
      ['payments', 'facilitator', 'privateKey'],
      'is for the embedded facilitator, which production does not allow: set payments.facilitator.url instead',
    );
}

// Anybody could empty the paymaster, or stop it.
function refuseKnownKeys({ chains }: Deployment, refuse: Refuse): void {
  for (const [key, { chainId, contracts }] of Object.entries(chains)) {
    const local = findChainFacts(chainId) && localContracts(chainId).paymaster;
    if (!contracts.paymasterRoles && contracts.paymaster === local)
      refuse(
        ['chains', key, 'paymaster', 'address'],
        'must be set to another paymaster: the key of its owner is public',
      );
    for (const [role, address] of Object.entries(contracts.paymasterRoles ?? {}))
      if (hasKnownKey(address))
        refuse(
          ['chains', key, 'paymaster', role],
          `must be set to another account: the key of ${address} is public`,
        );
  }
}
