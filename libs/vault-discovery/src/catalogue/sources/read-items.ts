import { UpstreamFailure } from '@yield-vault/chains';
import { getAddress, isAddress } from 'viem';
import { z } from 'zod';

/** An address in any case. */
export const sourceAddress = z
  .string()
  .refine((text) => isAddress(text, { strict: false }))
  .transform((text) => getAddress(text));
/** A number, or its digits as text. */
export const numeric = z.union([
  z.number(),
  z
    .string()
    .regex(/^-?\d+(\.\d+)?$/)
    .transform(Number),
]);

// What only adds to a vault never costs the warnings about it: where it has another shape, it is unknown.
/** A number that is there; services say null for what they do not know. */
export const optionalNumber = z.number().optional().catch(undefined);
export const optionalText = z.string().min(1).optional().catch(undefined);
export const sourceAsset = z
  .object({ address: sourceAddress, symbol: z.string(), decimals: numeric.pipe(z.int()) })
  .optional()
  .catch(undefined);

/**
 * Read the items of a list one by one, so that one odd item does not cost the rest.
 *
 * @throws {UpstreamFailure} when there are items and none of them can be read
 */
export function readItems<T>(source: string, schema: z.ZodType<T>, items: readonly unknown[]): T[] {
  const read = items.flatMap((item) => {
    const parsed = schema.safeParse(item);
    return parsed.success ? [parsed.data] : [];
  });
  if (items.length > 0 && read.length === 0)
    throw new UpstreamFailure(source, 'the answer has another shape');
  return read;
}

/** Of a fraction, 0.05, to percent, 5. */
export const percentOfFraction = (fraction: number | undefined): number | undefined =>
  fraction === undefined ? undefined : fraction * 100;
