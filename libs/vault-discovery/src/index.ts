export { createDatabaseReportStore } from './adapters/database-report-store.js';
export { createDatabaseSnapshotStore } from './adapters/database-snapshot-store.js';
export { createProber } from './capability/create-prober.js';
export { badFlags } from './catalogue/catalogue-source.js';
export {
  type CheckedEntry,
  checkVaults,
  readVaults,
  toTracked,
  type TrackedVault,
} from './catalogue/check-vaults.js';
export { currentFacts } from './catalogue/current-facts.js';
export { flagImpostors, normaliseName } from './catalogue/flag-impostors.js';
export { mergeRecords, type SourceResult } from './catalogue/merge-records.js';
export {
  parseRegistry,
  type RegistryEntry,
  selectProfile,
  type VaultFacts,
} from './catalogue/parse-registry.js';
export { shippedRegistry } from './catalogue/shipped-registry.js';
export { type DiscoveryOptions, discoverySchema } from './discovery-schema.js';
export { createContractReader } from './governance/create-contract-reader.js';
export { capabilityExclusions } from './measuring/exclusions.js';
export { measureVaults } from './measuring/measure-vaults.js';
export type { MeasureInput, MeasureOptions } from './measuring/measurement.js';
export { exitExclusions, exitFractionOf } from './measuring/vault-exit.js';
export { extraProbeDecimals, type StoredReport } from './ports.js';
export { createPricer } from './prices/create-pricer.js';
export { toPricedAssets } from './prices/priced-assets.js';
export { createQuotes, type Quotes } from './quoting/create-quotes.js';
export { planSample, type Sample, sampleBlock, type SamplePlan } from './sampling/sample-block.js';
export { type ChainIndex, createChainIndex } from './serving/chain-index.js';
export type { Freshness, VaultDiscovery } from './types.js';
export {
  createSources,
  createVaultDiscovery,
  createVaultSampler,
  type SamplerDeps,
  type VaultDiscoveryDeps,
} from './vault-discovery.js';
export type { VaultSampler } from './vault-sampler.js';
