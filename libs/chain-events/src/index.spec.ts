import * as library from './index.js';

it('default: exports', () => {
  expect(Object.keys(library).sort()).toEqual(['createChainEvents']);
});
