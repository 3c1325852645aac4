import type { ActiveChains } from '@yield-vault/chains';
import { createLeadership, type DatabaseHandle } from '@yield-vault/database';
import { createDatabaseBrokenReadStore } from './adapters/database-broken-read-store.js';
import { createDatabaseCapabilityStore } from './adapters/database-capability-store.js';
import { createDatabaseReportStore } from './adapters/database-report-store.js';
import { createDatabaseRetention } from './adapters/database-retention.js';
import { createDatabaseSnapshotStore } from './adapters/database-snapshot-store.js';
import { createProber } from './capability/create-prober.js';
import { createCatalogue } from './catalogue/create-catalogue.js';
import { createCatalogueSources } from './catalogue/sources/create-catalogue-sources.js';
import { createLlamaChart } from './charts/create-llama-chart.js';
import type { LoggerPort } from './ports.js';
import { createLlamaPrices } from './prices/create-llama-prices.js';
import { createPricer } from './prices/create-pricer.js';
import type { SamplerEvents } from './serving/serve-discovery.js';
import type { DiscoveryOptions, RegistryEntry } from './types.js';
import { createVaultSampler, type SamplerStores, type VaultSampler } from './vault-sampler.js';

const leadershipName = 'vault-sampler';
const catalogueRefreshSeconds = 3_600;
const defaults = {
  readGasLimit: 10_000_000,
  probeIntervalSeconds: 1_800,
  maxProbeAgeSeconds: 21_600,
  hourlyRetentionDays: 400,
} as const;

export interface ComposeSamplerDeps {
  readonly chains: ActiveChains;
  readonly database: DatabaseHandle;
  readonly registry: readonly RegistryEntry[];
  readonly options: DiscoveryOptions;
  readonly now: () => number;
  readonly logger: LoggerPort;
}

/** The stores of discovery in a database. */
export const openStores = (database: DatabaseHandle): SamplerStores => ({
  snapshots: createDatabaseSnapshotStore(database),
  brokenReads: createDatabaseBrokenReadStore(database),
  capabilities: createDatabaseCapabilityStore(database),
  reports: createDatabaseReportStore(database),
  retention: createDatabaseRetention(database),
});

/** Put the sampler of a deployment together: catalogue, prices, simulations, stores, and who of many samples. */
export function composeSampler(
  { chains, database, registry, options, now, logger }: ComposeSamplerDeps,
  { onReports, onLead, onOther, onFailure }: Partial<SamplerEvents> = {},
): VaultSampler {
  const { sources = {} } = options;
  const samplerOptions = { ...defaults, ...options };
  const { readGasLimit } = samplerOptions;
  const stores = openStores(database);
  const external = sources.llamaCoinsUrl ? createLlamaPrices({ url: sources.llamaCoinsUrl }) : undefined;
  return createVaultSampler({
    chains: chains.all,
    catalogue: createCatalogue({
      ...{ registry, logger, now, refreshSeconds: catalogueRefreshSeconds },
      sources: createCatalogueSources(sources),
      publishedFlags: async (chainId) => {
        const rows = await stores.reports.changedSince(chainId, 0n);
        return new Map(rows.map(({ summary }) => [summary.vaultAddress, summary.flags]));
      },
    }),
    stores,
    leadership: createLeadership(database, leadershipName, {
      onError: (err) =>
        logger.warn({ err }, 'no process can be elected to sample: the database does not answer'),
      onOther: () => {
        logger.info({}, 'waiting: another process samples');
        onOther?.();
      },
    }),
    pricerOf: (chain, assets) => createPricer({ chain, assets, ...(external && { external }), logger, now }),
    proberOf: ({ key, rpc }) => createProber({ chain: key, rpc, readGasLimit, logger, now }),
    ...(sources.llamaYieldsUrl && { chart: createLlamaChart({ url: sources.llamaYieldsUrl }) }),
    ...{ options: samplerOptions, now, logger },
    ...(onReports && { onReports }),
    ...(onFailure && { onFailure }),
    onLead: (isLeader) => {
      logger.info({}, isLeader ? 'sampling' : 'no longer sampling');
      onLead?.(isLeader);
    },
  });
}
