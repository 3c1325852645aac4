import type { ActiveChains } from '@yield-vault/chains';
import type { DatabaseHandle } from '@yield-vault/database';
import { type LoggerPort, silentLogger } from '@yield-vault/protocol';
import { createDatabaseCapabilityStore } from './adapters/database-capability-store.js';
import { createDatabaseExitStore } from './adapters/database-exit-store.js';
import { createDatabaseContractFactsStore } from './adapters/database-contract-facts-store.js';
import { createDatabaseReportStore } from './adapters/database-report-store.js';
import { createDatabaseSnapshotStore } from './adapters/database-snapshot-store.js';
import { createProber } from './capability/create-prober.js';
import type { CatalogueSource } from './catalogue/catalogue-source.js';
import { type Catalogue, createCatalogue } from './catalogue/create-catalogue.js';
import { createLlamaYieldsSource } from './catalogue/sources/create-llama-yields-source.js';
import { createMerklSource } from './catalogue/sources/create-merkl-source.js';
import { createMorphoSource } from './catalogue/sources/create-morpho-source.js';
import { createLlamaChart } from './charts/create-llama-chart.js';
import { type DiscoveryOptions, discoverySchema, type SourceUrls } from './discovery-schema.js';
import { createContractReader } from './governance/create-contract-reader.js';
import { createLlamaPrices } from './prices/create-llama-prices.js';
import type { HoldersOf } from './ports.js';
import { createPricer } from './prices/create-pricer.js';
import type { SamplerStores } from './sampling/sampler-deps.js';
import { serveDiscovery } from './serving/serve-discovery.js';
import type { RegistryEntry } from './catalogue/parse-registry.js';
import type { VaultDiscovery } from './types.js';
import { createSampler, type VaultSampler } from './vault-sampler.js';

const catalogueRefreshSeconds = 3_600;

export interface VaultDiscoveryDeps {
  readonly chains: ActiveChains;
  readonly database: DatabaseHandle;
  readonly options: DiscoveryOptions;
  /** Milliseconds, as Date.now. */
  readonly now?: () => number;
  readonly logger?: LoggerPort;
}

export interface SamplerDeps extends VaultDiscoveryDeps {
  readonly registry: readonly RegistryEntry[];
  /** Reads some holders of vaults, as whom redeems are simulated; without it none are. */
  readonly holdersOf?: HoldersOf;
}

/**
 * Create the read side of discovery. It responds from memory, with the numbers that the sampler stores in the database and
 * that its job reads.
 *
 * @example
 * const discovery = createVaultDiscovery({ chains, database, options });
 * const jobs = startJobs(() => [discovery.job], { logger });
 * if (discovery.isRanked('base')) discovery.discover({ chain: 'base', strategy: 'balanced', limit: 5 });
 */
export function createVaultDiscovery(deps: VaultDiscoveryDeps): VaultDiscovery {
  const { chains, database, options, now = Date.now, logger = silentLogger } = deps;
  return serveDiscovery({ chains, options, now, logger, stores: openStores(database) });
}

/**
 * Create the write side of discovery: the jobs that sample the chains. One process of those that share a database runs them.
 *
 * @example
 * const sampler = createVaultSampler({ chains, database, registry: parseRegistry(json), options });
 * const jobs = startJobs((signal) => sampler.begin(signal), { leader: { database, name: 'worker' }, logger });
 */
export function createVaultSampler(deps: SamplerDeps): VaultSampler & Pick<Catalogue, 'respondedAt'> {
  const { chains, database, registry, holdersOf, now = Date.now, logger = silentLogger } = deps;
  const options = { ...discoverySchema.parse({}), ...deps.options };
  const { sources } = options;
  const stores = openStores(database);
  const catalogue = createCatalogue({
    registry,
    logger,
    now,
    refreshSeconds: catalogueRefreshSeconds,
    sources: createSources(sources),
    published: async (chainId) => {
      const rows = await stores.reports.summaries(chainId);
      return rows.map(({ summary }) => ({
        ...summary,
        address: summary.vaultAddress,
        facts: {},
        sources: [],
      }));
    },
  });
  const sampler = createSampler({
    chains: chains.all,
    stores,
    options,
    now,
    logger,
    catalogue,
    pricerOf: (chain, assets) => {
      const url = sources.llamaCoinsUrl;
      return createPricer({
        chain,
        assets,
        external: url ? createLlamaPrices({ url, chain, logger, now }) : undefined,
        logger,
      });
    },
    proberOf: ({ key, rpc }) => createProber({ chain: key, rpc, logger, now, holdersOf }),
    contractReaderOf: (chain) => createContractReader({ chain, now }),
    ...(sources.llamaYieldsUrl && { chart: createLlamaChart({ url: sources.llamaYieldsUrl }) }),
  });
  return { ...sampler, respondedAt: catalogue.respondedAt };
}

/** Create the sources of the catalogue that have a URL. */
export const createSources = ({ morphoUrl, llamaYieldsUrl, merklUrl }: SourceUrls): CatalogueSource[] => [
  ...(morphoUrl ? [createMorphoSource({ url: morphoUrl })] : []),
  ...(llamaYieldsUrl ? [createLlamaYieldsSource({ url: llamaYieldsUrl })] : []),
  ...(merklUrl ? [createMerklSource({ url: merklUrl })] : []),
];

const openStores = (database: DatabaseHandle): SamplerStores => ({
  snapshots: createDatabaseSnapshotStore(database),
  capabilities: createDatabaseCapabilityStore(database),
  exits: createDatabaseExitStore(database),
  contracts: createDatabaseContractFactsStore(database),
  reports: createDatabaseReportStore(database),
});
