import { addressPattern } from '@yield-vault/protocol';
import { getAddress, hexToBigInt, isHex, maxUint64, type Address, type Hex } from 'viem';
import { z } from 'zod';

/** Scalars as JSON-RPC writes them. */
export const hex = z.custom<Hex>((value) => isHex(value), 'must be hex');
/** Whole bytes. */
export const bytes = hex.refine((value) => value.length % 2 === 0, 'must be whole bytes');
export const hash = hex.refine((value) => value.length === 66, 'must be 32 bytes');
/** A number as text; nothing on a chain is longer than a word. */
export const wireQuantity = hex.refine((value) => value.length > 2 && value.length <= 66, 'must be a number');
export const quantity = wireQuantity.transform((value) => hexToBigInt(value));
/** Gas, or its price in wei: the fields of an operation hold no more. */
export const gasQuantity = quantity.refine((value) => value <= maxUint64, 'is no gas and no price of gas');
export const address = z
  .string()
  .regex(addressPattern)
  .transform((text) => getAddress(text as Address));
