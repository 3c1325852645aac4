import * as discovery from './index.js';

describe('public surface', () => {
  it('default', () => {
    expect(Object.keys(discovery).sort()).toEqual([
      'RegistryError',
      'apyWindows',
      'assessRisk',
      'cleanSeries',
      'compositeFeatures',
      'compositeScore',
      'createChainIndex',
      'createDatabaseReportStore',
      'createDatabaseSnapshotStore',
      'createPricer',
      'createSeriesBook',
      'createStandaloneSampler',
      'createVaultDiscovery',
      'discoverySchema',
      'extraProbeDecimals',
      'historyQuality',
      'lastPerBucket',
      'maxDrawdown',
      'measureApy',
      'measureSharpe',
      'measureVaults',
      'measureVolatility',
      'parseRegistry',
      'planSample',
      'requireRanked',
      'riskWeights',
      'riskWords',
      'sampleBlock',
      'serveApy',
      'sharpeWindows',
      'shippedRegistry',
      'strategyWeights',
      'toPricedAssets',
      'toSeries',
      'unknownPriors',
    ]);
  });
});
