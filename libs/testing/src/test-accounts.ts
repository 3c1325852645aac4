import { keccak256, stringToBytes, toHex, type Hex } from 'viem';
import { mnemonicToAccount, privateKeyToAccount, type PrivateKeyAccount } from 'viem/accounts';

/** Derive a private key from a name: the same in every run, unknown to any chain. */
export function testKey(name: string): Hex {
  return keccak256(stringToBytes(`yield-vault test key ${name}`));
}

/** Make the account of a `testKey`. */
export function testAccount(name: string): PrivateKeyAccount {
  return privateKeyToAccount(testKey(name));
}

/** Private key of one of the ten accounts that every Anvil funds with 10 000 ETH. */
export function anvilKey(index: number): Hex {
  const account = mnemonicToAccount('test test test test test test test test test test test junk', {
    addressIndex: index,
  });
  return toHex(account.getHdKey().privateKey ?? new Uint8Array());
}
