import * as library from './index.js';

it('exports exactly its public surface', () => {
  expect(Object.keys(library).sort()).toEqual([
    'archiveIntents',
    'countIntents',
    'createDatabaseIntentStore',
    'createExecutionRelay',
    'openDepositLimits',
    'relaySchema',
  ]);
});
