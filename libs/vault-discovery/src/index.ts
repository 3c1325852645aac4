export { createDatabaseReportStore } from './adapters/database-report-store.js';
export { createDatabaseSnapshotStore } from './adapters/database-snapshot-store.js';
export { createProber, type Prober, type ProberDeps } from './capability/create-prober.js';
export type { CatalogueSource, SourceRecord } from './catalogue/catalogue-source.js';
export {
  createCatalogue,
  type Catalogue,
  type CatalogueDeps,
  type SourceState,
} from './catalogue/create-catalogue.js';
export type { CatalogueConflict } from './catalogue/merge-records.js';
export { parseRegistry } from './catalogue/parse-registry.js';
export { shippedRegistry } from './catalogue/shipped-registry.js';
export { createCatalogueSources } from './catalogue/sources/create-catalogue-sources.js';
export { createKongSource } from './catalogue/sources/create-kong-source.js';
export { createLlamaYieldsSource } from './catalogue/sources/create-llama-yields-source.js';
export { createMorphoSource } from './catalogue/sources/create-morpho-source.js';
export { createVaultsFyiSource } from './catalogue/sources/create-vaults-fyi-source.js';
export {
  planSample,
  sampleBlock,
  type Sample,
  type SamplePlan,
  type SampleSettings,
  type TrackedVault,
} from './chain/sample-block.js';
export { chartToSnapshots, type ChartPast, type ChartWork } from './charts/chart-to-snapshots.js';
export { createLlamaChart, type LlamaChartOptions } from './charts/create-llama-chart.js';
export type { ChartPoint, ExternalChart } from './charts/types.js';
export { RegistryError } from './errors.js';
export { measureVaults } from './measuring/measure-vaults.js';
export { createSeriesBook, type SeriesBook } from './measuring/series-book.js';
export type { MeasureInput, MeasureOptions } from './measuring/types.js';
export type { Slicing } from './pace.js';
export {
  apyWindows,
  measureApy,
  serveApy,
  type ApyMeasurement,
  type ApyQuality,
  type ApyWindow,
  type ServedApy,
} from './metrics/apy.js';
export { cleanSeries, type CleanedSeries, type Jump } from './metrics/clean-series.js';
export {
  compositeFeatures,
  compositeScore,
  historyQuality,
  strategyWeights,
  type CompositeFeature,
  type CompositeFeatures,
  type CompositeInput,
} from './metrics/composite.js';
export { maxDrawdown } from './metrics/drawdown.js';
export { lastPerBucket } from './metrics/last-per-bucket.js';
export {
  assessRisk,
  riskWeights,
  riskWords,
  unknownPriors,
  type RiskAssessment,
  type RiskFactor,
  type RiskFloor,
  type RiskInput,
} from './metrics/risk.js';
export { toSeries, type PricePoint, type PriceSeries } from './metrics/series.js';
export { measureSharpe, measureVolatility, sharpeWindows, type SharpeWindow } from './metrics/sharpe.js';
export {
  extraProbeDecimals,
  priceSources,
  snapshotOrigins,
  type Anchor,
  type Capability,
  type Coverage,
  type DroppedRecord,
  type LoggerPort,
  type PriceSource,
  type ReportProgress,
  type ReportStore,
  type SeriesColumns,
  type Snapshot,
  type SnapshotOrigin,
  type SnapshotStore,
  type StoredReport,
  type SummaryRow,
  type VaultSeries,
} from './ports.js';
export { createLlamaPrices, type LlamaPricesOptions } from './prices/create-llama-prices.js';
export { createPricer, type PricerDeps } from './prices/create-pricer.js';
export { toPricedAssets } from './prices/to-priced-assets.js';
export type { AssetPrice, ExternalPrice, ExternalPrices, PricedAsset, Pricer } from './prices/types.js';
export type {
  ChainState,
  DiscoveryOptions,
  DroppedVault,
  FactEvidence,
  Freshness,
  RegistryEntry,
  SourceUrls,
  VaultDiscovery,
  VaultFacts,
} from './types.js';
export {
  createStandaloneSampler,
  createVaultDiscovery,
  type StandaloneSampler,
  type VaultDiscoveryDeps,
} from './vault-discovery.js';
