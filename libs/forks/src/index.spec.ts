import * as library from './index.js';

it('exports exactly its public surface', () => {
  expect(Object.keys(library).sort()).toEqual([
    'createForkManager',
    'createForkRpcHandler',
    'createForks',
    'createServiceProvider',
    'createSimulator',
    'forkChains',
    'forkRpcBodyLimit',
    'forksSchema',
    'preflightSchema',
    'testingSchema',
  ]);
});
