import {
  addressPattern,
  digitsPattern,
  hash32Pattern,
  hexPattern,
  signedDecimalPattern,
} from '@yield-vault/protocol';
import * as z from 'zod';

export const string = z.string();
export const number = z.number();
export const boolean = z.boolean();
export const integer = z.int();
export { integer as chainId, integer as unixSeconds };
export const timestamp = z.iso.datetime();
export const address = string.regex(addressPattern, 'is not an address');
export const hash32 = string.regex(hash32Pattern, 'is not 0x and 64 hex digits');
export const hex = string.regex(hexPattern, 'is not 0x and hex digits');
export const digits = string.regex(digitsPattern, 'is not decimal digits');
export const decimal = string.regex(signedDecimalPattern, 'is not a decimal number');
export { address as plainAddress };
