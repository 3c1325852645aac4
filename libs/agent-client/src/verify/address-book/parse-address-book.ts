import { z } from 'zod';
import { InvalidAddressBookError } from '../errors.js';
import type { AddressBook } from '../types.js';
import { address, baseUnits, chainId, firstProblem } from '../wire-values.js';

const addressBook = z.strictObject({
  deployments: z.array(
    z.strictObject({
      chain: z.string().min(1),
      chainId,
      entryPoint: address,
      account: address,
      validator: address,
      executor: address,
      paymaster: z.strictObject({
        kind: z.enum(['own', 'circle', 'erc7677']),
        address,
        maxMarkupBps: z.int().min(0),
        extraGas: baseUnits,
      }),
      usdc: address,
      allowanceCap: baseUnits,
    }),
  ),
  tokens: z
    .array(
      z.strictObject({
        chainId,
        address,
        symbol: z.string().regex(/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/, 'is not plain text'),
        decimals: z.int().min(0).max(255),
      }),
    )
    .default([]),
}) satisfies z.ZodType<AddressBook>;

/**
 * Read an address book, from JSON or not: amounts are bigint or decimal strings. `tokens` may be absent.
 *
 * @throws {InvalidAddressBookError} when something is malformed or unknown, or a chain key stands for two chains
 */
export function parseAddressBook(book: unknown): AddressBook {
  const parsed = addressBook.safeParse(book);
  if (!parsed.success) {
    const { field, detail } = firstProblem(parsed.error);
    throw new InvalidAddressBookError(`address book${field && `: ${field}`}: ${detail}`);
  }
  requireOneMeaning(parsed.data);
  return parsed.data;
}

// What is asked for by key is found by key: it must not be another chain than the one of the same id.
function requireOneMeaning({ deployments }: AddressBook): void {
  for (const { chain, chainId } of deployments) {
    const other = deployments.find((one) => (one.chain === chain) !== (one.chainId === chainId));
    if (other) {
      throw new InvalidAddressBookError(
        `address book: chain ${chain} (${chainId}) contradicts chain ${other.chain} (${other.chainId})`,
      );
    }
  }
}
