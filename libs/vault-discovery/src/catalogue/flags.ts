/** Flags that keep a vault out of discover. Any other flag only informs. */
export const badFlags: ReadonlySet<string> = new Set([
  'async',
  'corrupted',
  'deprecated',
  'exploited',
  'impostor-name',
  'morpho-delisted',
  'paused',
  'red-warning',
  'retired',
  'whitelist',
]);
