import type { ActiveChains } from '@yield-vault/chains';
import type { DatabaseHandle } from '@yield-vault/protocol/database';
import { createDatabaseCapabilityStore } from './adapters/database-capability-store.js';
import { createDatabaseReportStore } from './adapters/database-report-store.js';
import { createDatabaseSnapshotStore } from './adapters/database-snapshot-store.js';
import { createProber } from './capability/create-prober.js';
import type { CatalogueSource } from './catalogue/catalogue-source.js';
import { createCatalogue } from './catalogue/create-catalogue.js';
import { createLlamaYieldsSource } from './catalogue/sources/create-llama-yields-source.js';
import { createMorphoSource } from './catalogue/sources/create-morpho-source.js';
import { createLlamaChart } from './charts/create-llama-chart.js';
import { type DiscoveryOptions, discoverySchema, type SourceUrls } from './discovery-schema.js';
import { type LoggerPort, silentLogger } from './ports.js';
import { createLlamaPrices } from './prices/create-llama-prices.js';
import { createPricer } from './prices/create-pricer.js';
import type { SamplerLeadership, SamplerStores } from './sampling/sampler-deps.js';
import { serveDiscovery } from './serving/serve-discovery.js';
import type { RegistryEntry, VaultDiscovery } from './types.js';
import { createVaultSampler, type VaultSampler } from './vault-sampler.js';

const leadershipName = 'vault-sampler';
const catalogueRefreshSeconds = 3_600;

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
 * one samples the chains, and all of them serve the numbers that it stores. With `options.sampler: 'external'` this
 * process never samples.
 *
 * @example
 * const discovery = createVaultDiscovery({ chains, database, registry: parseRegistry(json), options });
 * await discovery.start();
 * discovery.discover({ chain: 'base', strategy: 'balanced', limit: 5 });
 */
export function createVaultDiscovery(deps: VaultDiscoveryDeps): VaultDiscovery {
  const { chains, database, options, now = Date.now, logger = silentLogger } = deps;
  return serveDiscovery({
    ...{ chains, options, now, logger, stores: openStores(database) },
    ...(options.sampler !== 'external' && { sampler: createStandaloneSampler(deps) }),
  });
}

/** Samples the chains for the processes that serve discovery from the same database. */
export type StandaloneSampler = VaultSampler;

/**
 * Create a sampler for a process of its own. Several of them are safe: one samples.
 *
 * @example
 * const sampler = createStandaloneSampler({ chains, database, registry, options });
 * sampler.start();
 */
export function createStandaloneSampler(deps: VaultDiscoveryDeps): StandaloneSampler {
  const { chains, database, registry, now = Date.now, logger = silentLogger } = deps;
  const options = { ...discoverySchema.parse({}), ...deps.options };
  const { sources, readGasLimit } = options;
  const stores = openStores(database);
  const external = sources.llamaCoinsUrl ? createLlamaPrices({ url: sources.llamaCoinsUrl }) : undefined;
  return createVaultSampler({
    ...{ chains: chains.all, stores, options, now, logger },
    catalogue: createCatalogue({
      ...{ registry, logger, now, refreshSeconds: catalogueRefreshSeconds },
      sources: createSources(sources),
      publishedFlags: async (chainId) => {
        const rows = await stores.reports.summaries(chainId);
        return new Map(rows.map(({ summary }) => [summary.vaultAddress, summary.flags]));
      },
    }),
    leadership: openLeadership(database, logger),
    pricerOf: (chain, assets) => createPricer({ chain, assets, ...(external && { external }), logger, now }),
    proberOf: ({ key, rpc }) => createProber({ chain: key, rpc, readGasLimit, logger, now }),
    ...(sources.llamaYieldsUrl && { chart: createLlamaChart({ url: sources.llamaYieldsUrl }) }),
  });
}

/** Elect one of the processes that share the database. Its package is only needed by callers that have a database. */
function openLeadership(database: DatabaseHandle, logger: LoggerPort): SamplerLeadership {
  const opening = import('@yield-vault/database').then(({ createLeadership }) =>
    createLeadership(database, leadershipName, {
      onError: (err) =>
        logger.warn({ err }, 'the database does not respond: no process can be elected to sample'),
      onOther: () => logger.info({}, 'waiting: another process samples'),
    }),
  );
  return {
    lead: async (work) => (await opening).lead(work),
    stop: async () => (await opening).stop(),
  };
}

const createSources = ({ morphoUrl, llamaYieldsUrl }: SourceUrls): CatalogueSource[] => [
  ...(morphoUrl ? [createMorphoSource({ url: morphoUrl })] : []),
  ...(llamaYieldsUrl ? [createLlamaYieldsSource({ url: llamaYieldsUrl })] : []),
];

const openStores = (database: DatabaseHandle): SamplerStores => ({
  snapshots: createDatabaseSnapshotStore(database),
  capabilities: createDatabaseCapabilityStore(database),
  reports: createDatabaseReportStore(database),
});
