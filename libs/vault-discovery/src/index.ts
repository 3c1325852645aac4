export { createDatabaseReportStore } from './adapters/database-report-store.js';
export { createDatabaseSnapshotStore } from './adapters/database-snapshot-store.js';
export { parseRegistry, RegistryError } from './catalogue/parse-registry.js';
export { shippedRegistry } from './catalogue/shipped-registry.js';
export {
  planSample,
  type Sample,
  sampleBlock,
  type SamplePlan,
  type TrackedVault,
} from './chain/sample-block.js';
export {
  type ApyMeasurement,
  type ApyQuality,
  type ApyWindow,
  apyWindows,
  measureApy,
  serveApy,
  type ServedApy,
} from './metrics/apy.js';
export { type CleanedSeries, cleanSeries, type Jump } from './metrics/clean-series.js';
export {
  type CompositeFeature,
  compositeFeatures,
  type CompositeFeatures,
  type CompositeInput,
  compositeScore,
  historyQuality,
  strategyWeights,
} from './metrics/composite.js';
export { measureVaults } from './metrics/measure-vaults.js';
export type { MeasureInput, MeasureOptions } from './metrics/measurement.js';
export {
  assessRisk,
  type RiskAssessment,
  type RiskFactor,
  type RiskFloor,
  type RiskInput,
  riskWeights,
  riskWords,
  unknownPriors,
} from './metrics/risk.js';
export { createSeriesBook, type SeriesBook } from './metrics/series-book.js';
export { lastPerBucket, maxDrawdown, type PricePoint, type PriceSeries, toSeries } from './metrics/series.js';
export { measureSharpe, measureVolatility, type SharpeWindow, sharpeWindows } from './metrics/sharpe.js';
export { extraProbeDecimals, type LoggerPort, type SeriesColumns, type StoredReport } from './ports.js';
export { createPricer } from './prices/create-pricer.js';
export { toPricedAssets } from './prices/priced-assets.js';
export { type ChainIndex, createChainIndex } from './serving/chain-index.js';
export { requireRanked } from './serving/require-ranked.js';
export type { Freshness, RegistryEntry, VaultDiscovery, VaultFacts } from './types.js';
export {
  createStandaloneSampler,
  createVaultDiscovery,
  type StandaloneSampler,
  type VaultDiscoveryDeps,
} from './vault-discovery.js';
export { type DiscoveryOptions, discoverySchema } from './discovery-schema.js';
