import * as discovery from './index.js';

it('public surface', () => {
  expect(Object.keys(discovery).sort()).toEqual([
    'badFlags',
    'checkVaults',
    'createChainIndex',
    'createDatabaseReportStore',
    'createDatabaseSnapshotStore',
    'createPricer',
    'createVaultDiscovery',
    'createVaultSampler',
    'discoverySchema',
    'extraProbeDecimals',
    'flagImpostors',
    'measureVaults',
    'normaliseName',
    'parseRegistry',
    'planSample',
    'sampleBlock',
    'shippedRegistry',
    'toPricedAssets',
  ]);
});
