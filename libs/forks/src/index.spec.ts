import * as client from './client/index.js';
import * as library from './index.js';
import * as preflight from './preflight/index.js';
import * as anvil from './server/anvil/index.js';
import * as server from './server/index.js';

it.each([
  ['.', library, ['forkChains', 'forksSchema', 'preflightSchema', 'testingSchema']],
  ['./client', client, ['createForkClient', 'createForks']],
  ['./preflight', preflight, ['createSimulator', 'probeEndpoint', 'simulateOnFork']],
  ['./server', server, ['createForkManager', 'createForkRpcHandler', 'forkRpcBodyLimit']],
  [
    './anvil',
    anvil,
    [
      'MissingProgramError',
      'ProcessFailedError',
      'findAnvil',
      'findOnPath',
      'freePort',
      'isFree',
      'makeTemporaryFolder',
      'spawnTied',
      'startAnvil',
    ],
  ],
])('exports exactly its public surface: %s', (_, part, names) => {
  expect(Object.keys(part).sort()).toEqual(names);
});
