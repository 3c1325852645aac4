import * as discovery from './index.js';

it('public surface', () => {
  expect(Object.keys(discovery).sort()).toEqual([
    'badFlags',
    'checkVaults',
    'createChainIndex',
    'createDatabaseReportStore',
    'createDatabaseSnapshotStore',
    'createPricer',
    'createProber',
    'createQuotes',
    'createSources',
    'createVaultDiscovery',
    'createVaultSampler',
    'discoverySchema',
    'extraProbeDecimals',
    'flagImpostors',
    'measureVaults',
    'mergeRecords',
    'normaliseName',
    'parseRegistry',
    'planSample',
    'sampleBlock',
    'selectProfile',
    'shippedRegistry',
    'toPricedAssets',
  ]);
});
