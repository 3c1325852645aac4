import { createChainEvents, type ChainEvents } from '@yield-vault/chain-events';
import { createActiveChains, walletChains } from '@yield-vault/chains';
import type { DatabaseHandle } from '@yield-vault/database';
import type { Deployment } from '@yield-vault/deployment';
import { createForkClient } from '@yield-vault/forks/client';
import type { RegistryEntry } from '@yield-vault/vault-discovery';
import type { Logger } from 'pino';
import { Counter, Gauge, type Registry } from 'prom-client';
import { metricPrefix } from './metric-prefix.js';

/** What the events of a deployment need. */
export interface ChainEventsParts {
  /** Vaults to follow. */
  readonly registry: readonly RegistryEntry[];
  readonly database: DatabaseHandle;
  readonly logger: Logger;
  /** Takes their metrics. */
  readonly metrics: Registry;
}

/**
 * Build the events of the chains that wallets act on. They have clients of their own: slow log queries must not open the
 * circuit breakers of prepare, execute or status.
 */
export function openChainEvents(
  { environment, chains, forks }: Pick<Deployment, 'environment' | 'chains' | 'forks'>,
  { registry, database, logger, metrics }: ChainEventsParts,
): ChainEvents {
  const newest = new Gauge({
    name: `${metricPrefix}followed_block`,
    help: 'The newest block whose events this process stored.',
    labelNames: ['chain'],
    registers: [metrics],
  });
  const silent = new Counter({
    name: `${metricPrefix}waits_without_follower_total`,
    help: 'Waits that ended because nobody follows the chain: the call then reads the chain itself.',
    labelNames: ['chain'],
    registers: [metrics],
  });
  const options = Object.entries(chains).map(([key, { relayMode, logReads }]) => {
    silent.inc({ chain: key }, 0);
    const mayBeReplaced = environment === 'local' || relayMode === 'managed-fork';
    return [key, { blocks: logReads?.blocks, mayBeReplaced }] as const;
  });
  const client = forks.provider === 'service' ? createForkClient(forks) : undefined;
  return createChainEvents({
    chains: createActiveChains({ chains: walletChains(chains, client) }, { retries: 0 }),
    database,
    vaults: {
      addresses: (key) =>
        registry.filter(({ chainId }) => chainId === chains[key]?.chainId).map(({ address }) => address),
    },
    options: Object.fromEntries(options),
    logger,
    onBlock: (chain, block) => newest.set({ chain }, Number(block)),
    onSilent: (chain) => silent.inc({ chain }),
  });
}
