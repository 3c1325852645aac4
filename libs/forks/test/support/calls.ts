import { hexToBigInt, numberToHex, pad, type Address, type Hex } from 'viem';
import { tiny } from './tiny-contracts.js';

/** Has nothing and never sent anything. */
export const sender: Address = '0x00000000000000000000000000000000000000a1';

/** Write a number as one word. */
export const word = (value: bigint): Hex => pad(numberToHex(value));

/** Read the words of return data. */
export const words = (data: Hex = '0x'): bigint[] =>
  (data.slice(2).match(/.{64}/g) ?? []).map((part) => hexToBigInt(`0x${part}`));

/** Build a call of a tiny contract. */
export const call = (name: keyof typeof tiny, data: Hex = '0x', more: object = {}) => ({
  from: sender,
  to: tiny[name].address,
  data,
  ...more,
});
