import { compareVaultIds } from './compare-vault-ids.js';

describe('compareVaultIds', () => {
  it('default: orders digits as integers', () => {
    const ids = ['18446744073709551615', '9', '10', '0', '11', '18446744073709551614'];
    expect(ids.sort(compareVaultIds)).toEqual([
      '0',
      '9',
      '10',
      '11',
      '18446744073709551614',
      '18446744073709551615',
    ]);
    expect(compareVaultIds('7', '7')).toBe(0);
  });
});
