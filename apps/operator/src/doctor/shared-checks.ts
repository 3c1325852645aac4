import { createActiveChains } from '@yield-vault/chains';
import { inspectDatabase } from '@yield-vault/database';
import type { Deployment } from '@yield-vault/deployment';
import { createForkClient } from '@yield-vault/forks/client';
import { authorizeFacilitator, createRemoteFacilitator } from '@yield-vault/payments';
import { paymentChains } from '@yield-vault/worker';
import { Redis } from 'ioredis';
import { judge, type Check } from './check.js';

/** What the chains of a deployment share: database, worker, Redis, fork service, facilitator. */
export function sharedChecks({
  chains,
  database,
  rateLimits,
  forks,
  payments,
}: Deployment): readonly Check[] {
  const checks: Check[] = [];
  if ('url' in database) {
    const { url } = database;
    checks.push([
      'database',
      'PostgreSQL',
      'Check DATABASE_URL: a primary of PostgreSQL 14 or newer, and a role that owns its schema. Start apps/worker.',
      async () => {
        const { version, faults, doubts, pending } = await inspectDatabase(url);
        const text = [`version ${version}`, ...faults, ...doubts, `${pending.length} migrations to do`];
        return judge(text.join('; '), faults.length > 0, doubts.length > 0);
      },
    ]);
    checks.push([
      'deposits',
      'pauses and caps',
      'If they are not meant to hold: `resume` ends a pause, `cap` with none removes a cap.',
      async () => {
        const { limits } = await inspectDatabase(url);
        return judge(limits ?? 'none', false, !!limits);
      },
    ]);
  }
  if (rateLimits.store === 'redis')
    checks.push([
      'Redis',
      'rate limits',
      'Check REDIS_URL. Meanwhile each server counts for itself.',
      async () => {
        const options = { lazyConnect: true, maxRetriesPerRequest: 0, retryStrategy: () => null };
        const redis = new Redis(rateLimits.redisUrl, options).on('error', () => undefined);
        try {
          await redis.connect();
          return judge(await redis.ping());
        } finally {
          redis.disconnect();
        }
      },
    ]);
  if (forks.provider === 'service')
    checks.push([
      'fork service',
      'forks',
      'Start apps/fork-service, and check FORK_SERVICE_URL and FORK_SERVICE_CREDENTIAL.',
      async () => {
        const client = createForkClient(forks);
        const { status, activeForks, maxForks } = await client.health();
        // The health needs no credential.
        await client.list();
        return judge(`${status}, ${activeForks} of ${maxForks} forks`, false, status !== 'healthy');
      },
    ]);
  if (payments.mode === 'on' && payments.facilitator.kind === 'remote') {
    const { payTo, maxTimeoutSeconds, facilitator } = payments;
    checks.push([
      'facilitator',
      'payments',
      'Use a facilitator of x402 version 2 that settles on these chains (payments.facilitator, payments.chains).',
      async () => {
        const paid = paymentChains(payments, createActiveChains({ chains }));
        const terms = paid.map((chain) => {
          const network = `eip155:${chain.chainId}` as const;
          return { chain, network, payTo, amount: 1n, maxTimeoutSeconds };
        });
        const remote = createRemoteFacilitator({
          url: facilitator.url,
          authorize: authorizeFacilitator(facilitator),
        });
        const { problems, warnings } = await remote.inspect(terms);
        const faults = [...problems, ...warnings];
        return judge(faults.join('; ') || 'it settles on every chain', faults.length > 0);
      },
    ]);
  }
  return checks;
}
