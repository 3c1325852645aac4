import { addressBook, usdc } from '../../test/support/book.js';
import { findToken } from './find-token.js';

describe('findToken', () => {
  it('default: what a symbol means on a chain, in any case', () => {
    expect(findToken(addressBook, 'base', 'usdc')).toMatchObject({
      address: usdc,
      chainId: 8453,
      decimals: 6,
    });
  });

  it.each([
    ['UNKNOWN_CHAIN', 'elsewhere', 'USDC'],
    ['UNKNOWN_ASSET', 'base', 'FAKE'],
  ])('error: %s', (code, chain, asset) => {
    expect(() => findToken(addressBook, chain, asset)).toThrow(expect.objectContaining({ code }));
  });
});
