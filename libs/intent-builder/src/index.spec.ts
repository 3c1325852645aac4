import * as intentBuilder from './index.js';

it('public surface', () => {
  expect(Object.keys(intentBuilder).sort()).toEqual(['createIntentBuilder']);
});
