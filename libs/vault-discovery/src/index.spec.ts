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
      'createCatalogueSources',
      'createDatabaseBrokenReadStore',
      'createDatabaseCapabilityStore',
      'createDatabaseReportStore',
      'createDatabaseRetention',
      'createDatabaseSnapshotStore',
      'createKongSource',
      'createLlamaYieldsSource',
      'createMorphoSource',
      'createVaultDiscovery',
      'createVaultsFyiSource',
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
      'shippedRegistry',
      'snapshotOrigins',
      'strategyWeights',
      'unknownPriors',
    ]);
  });
});
