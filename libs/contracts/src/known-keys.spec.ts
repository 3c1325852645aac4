import type { Address } from 'viem';
import { hasKnownKey } from './known-keys.js';

describe('hasKnownKey', () => {
  it.each<[string, Address]>([
    ['Anvil 0, in lower case', '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'],
    ['Hardhat 19', '0x8626f6940E2eb28930eFb4CeF49B2d1F2C9C1199'],
    ['Ganache 0', '0x90F8bf6A479f320ead074411a4B0e7944Ea8c9C1'],
    ['Truffle 0', '0x627306090abaB3A6e1400e9345bC60c78a8BEf57'],
    ['the key 1', '0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf'],
  ])('default: %s', (_, address) => {
    expect(hasKnownKey(address)).toBe(true);
  });

  it('behavior: other accounts are not known', () => {
    // Anvil's account 20.
    expect(hasKnownKey('0x09DB0a93B389bEF724429898f539AEB7ac2Dd55f')).toBe(false);
  });
});
