import { getAddress, hexToBigInt, isHex, type Address, type Hex } from 'viem';
import { z } from 'zod';

/** Scalars as JSON-RPC writes them. */
export const hex = z.custom<Hex>((value) => isHex(value), 'must be hex');
export const hash = hex.refine((value) => value.length === 66, 'must be 32 bytes');
export const quantity = hex.transform((value) => hexToBigInt(value));
export const address = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/)
  .transform((text) => getAddress(text as Address));
