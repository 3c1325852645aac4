import * as discovery from './index.js';

it('public surface', () => {
  expect(Object.keys(discovery).sort()).toEqual([
    'badFlags',
    'capabilityExclusions',
    'checkVaults',
    'createChainIndex',
    'createContractReader',
    'createDatabaseReportStore',
    'createDatabaseSnapshotStore',
    'createPricer',
    'createProber',
    'createQuotes',
    'createSources',
    'createVaultDiscovery',
    'createVaultSampler',
    'currentFacts',
    'discoverySchema',
    'exitExclusions',
    'exitFractionOf',
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
