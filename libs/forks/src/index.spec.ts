import * as library from './index.js';

it('exports exactly its public surface', () => {
  expect(Object.keys(library).sort()).toEqual([
    'createAnvilLauncher',
    'createEphemeralForks',
    'createForkManager',
    'createForkRpcHandler',
    'createForks',
    'createServiceProvider',
    'createTenderlyLauncher',
    'forkChains',
    'forkRpcBodyLimit',
    'startForkRpc',
  ]);
});
