export { createDatabaseReportStore } from './adapters/database-report-store.js';
export { createDatabaseSnapshotStore } from './adapters/database-snapshot-store.js';
export { createProber, type Prober, type ProberDeps } from './capability/create-prober.js';
export type { CatalogueSource, SourceRecord } from './catalogue/catalogue-source.js';
export { type Catalogue, type CatalogueDeps, createCatalogue } from './catalogue/create-catalogue.js';
export { parseRegistry, RegistryError } from './catalogue/parse-registry.js';
export { shippedRegistry } from './catalogue/shipped-registry.js';
export { createLlamaYieldsSource } from './catalogue/sources/create-llama-yields-source.js';
export { createMorphoSource } from './catalogue/sources/create-morpho-source.js';
export {
  planSample,
  type Sample,
  sampleBlock,
  type SamplePlan,
  type SampleSettings,
  type TrackedVault,
} from './chain/sample-block.js';
export { chartToSnapshots, type ChartWork } from './charts/chart-to-snapshots.js';
export {
  type ChartPoint,
  createLlamaChart,
  type ExternalChart,
  type LlamaChartOptions,
} from './charts/create-llama-chart.js';
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
export {
  type Anchor,
  type Capability,
  type Coverage,
  extraProbeDecimals,
  type LoggerPort,
  type PriceSource,
  priceSources,
  type RejectedRecord,
  type ReportProgress,
  type ReportStore,
  type SeriesColumns,
  type Snapshot,
  type SnapshotOrigin,
  snapshotOrigins,
  type SnapshotStore,
  type StoredReport,
  type SummaryRow,
  type VaultSeries,
} from './ports.js';
export { createLlamaPrices, type LlamaPricesOptions } from './prices/create-llama-prices.js';
export { createPricer, type PricerDeps } from './prices/create-pricer.js';
export {
  type AssetPrice,
  type ExternalPrice,
  type ExternalPrices,
  type PricedAsset,
  type Pricer,
  toPricedAssets,
} from './prices/priced-assets.js';
export { type ChainIndex, createChainIndex } from './serving/chain-index.js';
export { requireRanked } from './serving/require-ranked.js';
export type {
  ChainState,
  FactEvidence,
  Freshness,
  RegistryEntry,
  RejectedVault,
  VaultDiscovery,
  VaultFacts,
} from './types.js';
export {
  createStandaloneSampler,
  createVaultDiscovery,
  type StandaloneSampler,
  type VaultDiscoveryDeps,
} from './vault-discovery.js';
export { type DiscoveryOptions, discoverySchema, type SourceUrls } from './discovery-schema.js';
