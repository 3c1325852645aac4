import * as discovery from './index.js';

it('public surface', () => {
  expect(Object.keys(discovery).sort()).toEqual([
    'badFlags',
    'checkVaults',
    'createBlockFinder',
    'createChainIndex',
    'createDatabaseReportStore',
    'createDatabaseSnapshotStore',
    'createPricer',
    'createProber',
    'createVaultDiscovery',
    'createVaultSampler',
    'discoverySchema',
    'extraProbeDecimals',
    'flagImpostors',
    'measureVaults',
    'normaliseName',
    'parseRegistry',
    'planSample',
    'readHeader',
    'sampleBlock',
    'shippedRegistry',
    'toPricedAssets',
  ]);
});
