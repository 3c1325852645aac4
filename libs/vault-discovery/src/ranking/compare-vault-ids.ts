/** Order vault ids as the integers that they are: decimal digits without leading zeros. */
export const compareVaultIds = (a: string, b: string): number =>
  a.length - b.length || (a < b ? -1 : Number(a > b));
