import * as anvil from './index.js';

it('exports exactly these names', () => {
  expect(Object.keys(anvil).sort()).toEqual([
    'MissingProgramError',
    'ProcessFailedError',
    'findAnvil',
    'findOnPath',
    'makeTemporaryFolder',
    'reapAnvils',
    'spawnTied',
    'startAnvil',
  ]);
});
