import * as intentBuilder from './index.js';

it('public surface', () => {
  expect(Object.keys(intentBuilder).sort()).toEqual([
    'createIntentBuilder',
    'intentsSchema',
    'largestCallGas',
    'loneBundleGas',
    'setupSchema',
    'vaultChecks',
  ]);
  expect(intentBuilder.vaultChecks).toEqual([
    'ASSET_MISMATCH',
    'DECIMALS_MISMATCH',
    'EMPTY_VAULT',
    'TINY_DEPOSIT',
    'NO_EXIT_QUOTE',
    'ROUND_TRIP_LOSS',
    'ROUND_TRIP_GAIN',
    'PRICE_JUMP',
  ]);
});
