import * as positions from './index.js';

it('exports exactly these names', () => {
  expect(Object.keys(positions).sort()).toEqual(['createPositions', 'replayAverageCost']);
});
