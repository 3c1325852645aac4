import { UpstreamFailure } from '@yield-vault/chains';
import { getAddress, isAddress } from 'viem';
import { z } from 'zod';

/** An address in any case. */
export const sourceAddress = z
  .string()
  .refine((text) => isAddress(text, { strict: false }))
  .transform((text) => getAddress(text));

// Optional fields of another shape are unknown: they must not cost the warnings about a vault.
/** A number; null means unknown. */
export const optionalNumber = z.number().optional().catch(undefined);

/**
 * Parse the items of a list one by one, so that one invalid item does not cost the rest.
 *
 * @throws {UpstreamFailure} when there are items and none of them can be read
 */
export function readItems<T>(source: string, schema: z.ZodType<T>, items: readonly unknown[]): T[] {
  const read = items.flatMap((item) => {
    const parsed = schema.safeParse(item);
    return parsed.success ? [parsed.data] : [];
  });
  if (items.length > 0 && read.length === 0)
    throw new UpstreamFailure(source, 'the response has another shape');
  return read;
}
