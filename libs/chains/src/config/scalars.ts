import { hash32Pattern } from '@yield-vault/protocol';
import { getAddress, isAddress, type Address, type Hex } from 'viem';
import { z } from 'zod';

const digits = z
  .string()
  .regex(/^\d+$/, 'must be a whole number')
  .transform((text) => Number(text));

/** A whole number, or its digits in a text, as environment variables are. */
export const wholeNumber = z.union([z.number(), digits], 'must be a whole number').pipe(z.int().min(0));

/** A whole number above zero, or its digits in a text. */
export const positiveInteger = wholeNumber.pipe(z.int().min(1, 'must be above zero'));

/** `true` or `false`, or the same as text. */
export const flag = z.union(
  [z.boolean(), z.literal('true').transform(() => true), z.literal('false').transform(() => false)],
  'must be true or false',
);

/** An http or https URL, without trailing slashes. */
export const url = z
  .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
  .transform((text) => text.replace(/\/+$/, ''));

const exactNumber = 'must be a whole number, in quotes above 2^53 - 1';

/** Base units above zero and up to a maximum. A YAML number beyond 2^53 - 1 is not exact, so write it in quotes. */
export const baseUnits = (maximum: bigint) =>
  z
    .union([z.int(exactNumber), z.string().regex(/^\d+$/, exactNumber)], exactNumber)
    .transform((amount) => BigInt(amount))
    .pipe(z.bigint().min(1n, 'must be above zero').max(maximum, `must be at most ${maximum}`));

/** An address in whatever case, EIP-55 afterwards. */
export const address = z
  .string()
  .refine((text) => isAddress(text, { strict: false }), 'must be an address (0x and 40 hex digits)')
  .transform((text) => getAddress(text.toLowerCase() as Address));

/** A private key. */
export const privateKey = z
  .string()
  .regex(hash32Pattern, 'must be a private key: 0x and 64 hex digits')
  .transform((text) => text as Hex);

/** Entries of a list. One variable may hold several, separated by commas. */
export const splitAtCommas = (entries: readonly string[]): string[] =>
  entries.flatMap((entry) => entry.split(',').map((part) => part.trim()));

/** Texts as a list, or as one text that separates them by commas. */
export const textList = (message?: string) =>
  z.union([z.array(z.string()), z.string().transform((text) => [text])], message).transform(splitAtCommas);

/** Addresses as a list, or as one text that separates them by commas. */
export const addresses = textList('must be a list of addresses').pipe(z.array(address));

/** Settings of any shape, or their JSON in a text, as environment variables are. */
export const json = z.unknown().transform((value, context): unknown => {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    context.addIssue({ code: 'custom', message: 'must be JSON' });
    return z.NEVER;
  }
});
