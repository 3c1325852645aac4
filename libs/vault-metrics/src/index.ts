export { adminFactor, type AdminInput } from './admin-factor.js';
export {
  type ApyMeasurement,
  type ApyMeasurements,
  type ApyQuality,
  type ApyWindow,
  apyWindows,
  measureApy,
  measureApys,
  serveApy,
  type ServedApy,
} from './apy.js';
export { type CleanedSeries, cleanSeries, type Jump } from './clean-series.js';
export { type CompositeInput, compositeScore, strategyWeights } from './composite.js';
export { explainFactors } from './explain-risk.js';
export { type Gap, measureSeries, type SeriesMeasurement, type TimedPrice } from './measure-series.js';
export { apyOfGrowth, breakEvenDays, dilutedApy, type Earning, netApy, type Stay } from './quote.js';
export {
  assessRisk,
  type RiskAssessment,
  type RiskFactor,
  type RiskFloor,
  type RiskInput,
  riskWeights,
  riskWords,
} from './risk.js';
export { type BookedSample, createSeriesBook, keptSeconds, type SeriesBook } from './series-book.js';
export {
  lastPerBucket,
  maxDrawdown,
  type PricePoint,
  type PriceSeries,
  type SeriesColumns,
  type SnapshotOrigin,
  snapshotOrigins,
  toSeries,
} from './series.js';
export {
  dailyReturns,
  measureSharpe,
  measureVolatility,
  type SharpeWindow,
  sharpeWindows,
} from './sharpe.js';
export { clamp, daySeconds, floorHour, hourSeconds, mean, round, yearSeconds } from './statistics.js';
