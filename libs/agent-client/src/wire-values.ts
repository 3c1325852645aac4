import { addressPattern, hash32Pattern } from '@yield-vault/protocol';
import { getAddress, isAddress, maxUint256, type Address, type Hex } from 'viem';
import * as z from 'zod';

// Far above anything that prepare builds; it bounds the cost of hashing.
const longestHex = 2 + 2 * 32_768;

const asHex = (text: string): Hex => text as Hex;

export const string = z.string();
export const timestamp = z.iso.datetime();
export const integer = z.int().min(0);

/** Whole bytes, in any case. */
export const hex = z
  .string()
  .max(longestHex)
  .regex(/^0x([0-9a-fA-F]{2})*$/, 'is not 0x and whole bytes of hex')
  .transform(asHex);

export const hash32 = z.string().regex(hash32Pattern, 'is not 0x and 64 hex digits').transform(asHex);

/** An address from the service, in any case. */
export const address = z
  .string()
  .regex(addressPattern, 'is not 0x and 40 hex digits')
  .transform((text): Address => getAddress(text.toLowerCase()));

/** A trusted address: a checksum, if it has one, must be right. */
export const trustedAddress = z
  .string()
  .refine((text) => isAddress(text), 'is no address, or its EIP-55 checksum is wrong')
  .transform((text): Address => getAddress(text));

/** A number as prepare writes it: decimal, without leading zeros. */
export const digits = z.string().regex(/^(0|[1-9][0-9]{0,77})$/, 'is not a decimal number');

/** Base units as bigint; from JSON as a decimal string. */
export const baseUnits = z
  .union([z.bigint(), digits.transform(BigInt)])
  .refine((value) => value >= 0n && value <= maxUint256, 'is no uint256');

/** Unix seconds that fit the uint48 of an intent. */
export const unixSeconds = z
  .int()
  .min(0)
  .max(2 ** 48 - 1);

export const chainId = z.int().positive();

/** Say where and why something is malformed, by the first of the problems, in printable text. */
export function firstProblem({ issues }: z.ZodError): { field: string; detail: string } {
  const issue = issues[0];
  const keys = issue?.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : [];
  const field = [...(issue?.path ?? []), ...keys].map(String).join('.');
  return { field: printable(field), detail: printable(issue?.message ?? 'is malformed') };
}

const longestText = 120;

/** Escape everything but plain text: the service writes the name, and a terminal may show it. */
export function printable(text: string, longest = longestText): string {
  const escaped = toAscii(text);
  return escaped.length > longest ? `${escaped.slice(0, longest)}...` : escaped;
}

/** Escape everything but printable ASCII, as JSON does. */
export function toAscii(text: string): string {
  return text.replace(
    /[^\x20-\x7e]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
