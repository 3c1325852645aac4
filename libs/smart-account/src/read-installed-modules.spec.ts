import { hexToBigInt, keccak256, numberToHex, toHex } from 'viem';
import { accountNamespace } from './read-installed-modules.js';

it('accountNamespace: the ERC-7201 slot of yieldvault.account', () => {
  const inner = hexToBigInt(keccak256(toHex('yieldvault.account'))) - 1n;
  expect(accountNamespace).toBe((hexToBigInt(keccak256(numberToHex(inner, { size: 32 }))) >> 8n) << 8n);
});
