import { type Address, type Hex, getAddress, numberToHex, toHex } from 'viem';
import { mnemonicToAccount, privateKeyToAddress } from 'viem/accounts';

// The phrases that Anvil and Hardhat, Ganache, and Truffle start with.
const phrases = [
  'test test test test test test test test test test test junk',
  'myth like bonus scare over problem client lizard pioneer submit female collect',
  'candy maple cake sugar pudding cream honey rich smooth crumble sweet treat',
];
const accountsEach = 20;

let known: ReadonlySet<Address> | undefined;

/**
 * Whether the key of an account is public: the first 20 accounts of Anvil, Hardhat, Ganache and Truffle, and the keys 1 to
 * 20.
 */
export function hasKnownKey(address: Address): boolean {
  known ??= new Set(knownKeys().map(privateKeyToAddress));
  return known.has(getAddress(address));
}

function knownKeys(): readonly Hex[] {
  const indexes = Array.from({ length: accountsEach }, (_, index) => index);
  const derived = phrases.flatMap((phrase) => {
    const parent = mnemonicToAccount(phrase, { path: "m/44'/60'/0'/0" }).getHdKey();
    return indexes.map((index) => toHex(parent.deriveChild(index).privateKey!));
  });
  return [...derived, ...indexes.map((index) => numberToHex(index + 1, { size: 32 }))];
}
