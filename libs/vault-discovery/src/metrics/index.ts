export {
  type ApyMeasurement,
  type ApyQuality,
  type ApyWindow,
  apyWindows,
  measureApy,
  serveApy,
  type ServedApy,
} from './apy.js';
export { type CleanedSeries, cleanSeries, type Jump } from './clean-series.js';
export {
  type CompositeFeature,
  compositeFeatures,
  type CompositeFeatures,
  type CompositeInput,
  compositeScore,
  historyQuality,
  strategyWeights,
} from './composite.js';
export { measureVaults } from './measure-vaults.js';
export type { MeasureInput, MeasureOptions } from './measurement.js';
export {
  assessRisk,
  type RiskAssessment,
  type RiskFactor,
  type RiskFloor,
  type RiskInput,
  riskWeights,
  riskWords,
  unknownPriors,
} from './risk.js';
export { createSeriesBook, type SeriesBook } from './series-book.js';
export { lastPerBucket, maxDrawdown, type PricePoint, type PriceSeries, toSeries } from './series.js';
export { measureSharpe, measureVolatility, type SharpeWindow, sharpeWindows } from './sharpe.js';
