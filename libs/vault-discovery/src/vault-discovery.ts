import type { ActiveChains } from '@yield-vault/chains';
import type { DatabaseHandle } from '@yield-vault/database';
import { composeSampler, openStores } from './compose-sampler.js';
import { silentLogger, type LoggerPort } from './ports.js';
import { serveDiscovery } from './serving/serve-discovery.js';
import type { DiscoveryOptions, RegistryEntry, VaultDiscovery } from './types.js';
import type { VaultSampler } from './vault-sampler.js';

export interface VaultDiscoveryDeps {
  readonly chains: ActiveChains;
  readonly database: DatabaseHandle;
  readonly registry: readonly RegistryEntry[];
  readonly options: DiscoveryOptions;
  /** Milliseconds, as Date.now. */
  readonly now?: () => number;
  readonly logger?: LoggerPort;
}

/**
 * Create the discovery of a deployment. Once started it answers from memory. Of the processes that share a database
 * one samples the chains, and the others serve what it computed; with `options.sampler: 'external'` this process
 * never samples.
 *
 * @example
 * const discovery = createVaultDiscovery({ chains, database, registry: parseRegistry(json), options });
 * await discovery.start();
 * discovery.discover({ chain: 'base', strategy: 'balanced', limit: 5 });
 */
export function createVaultDiscovery(deps: VaultDiscoveryDeps): VaultDiscovery {
  const { chains, database, options, now = Date.now, logger = silentLogger } = deps;
  const parts = { ...deps, now, logger };
  return serveDiscovery({
    ...{ chains, options, now, logger },
    stores: openStores(database),
    ...(options.sampler === 'external' ? {} : { samplerOf: (events) => composeSampler(parts, events) }),
  });
}

/** Samples the chains for the processes that serve discovery from the same database. */
export type StandaloneSampler = VaultSampler;

/**
 * Create a sampler without anything that serves, for a process of its own. Several of them are safe: one samples.
 *
 * @example
 * const sampler = createStandaloneSampler({ chains, database, registry, options });
 * sampler.start();
 */
export function createStandaloneSampler({
  now = Date.now,
  logger = silentLogger,
  ...deps
}: VaultDiscoveryDeps): StandaloneSampler {
  return composeSampler({ ...deps, now, logger });
}
