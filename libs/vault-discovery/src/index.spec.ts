import * as discovery from './index.js';

describe('public surface', () => {
  it('default', () => {
    expect(Object.keys(discovery).sort()).toEqual([
      'RegistryError',
      'apyWindows',
      'assessRisk',
      'cleanSeries',
      'compositeScore',
      'createCatalogue',
      'createDatabaseBrokenReadStore',
      'createDatabaseCapabilityStore',
      'createDatabaseReportStore',
      'createDatabaseRetention',
      'createDatabaseSnapshotStore',
      'createVaultDiscovery',
      'lastPerBucket',
      'maxDrawdown',
      'measureApy',
      'measureSharpe',
      'measureVolatility',
      'parseRegistry',
      'priceSources',
      'riskWeights',
      'riskWords',
      'serveApy',
      'sharpeWindows',
      'snapshotOrigins',
      'strategyWeights',
      'unknownPriors',
    ]);
  });
});
