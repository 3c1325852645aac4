import type { Hex } from 'viem';
import { z } from 'zod';
import type { BlockRef } from '../types.js';

const hex = z.templateLiteral(['0x', z.string().regex(/^[0-9a-f]+$/i)]);
const headerSchema = z.looseObject({ number: hex, hash: hex, timestamp: hex, miner: hex.optional() });

/** A block without its transactions, as the node wrote it. */
export interface Header {
  readonly block: BlockRef;
  /** Who gets the fees: every simulation touches it. */
  readonly miner?: Hex;
  readonly raw: unknown;
}

/** Read a header; `undefined` when it is none. */
export function asHeader(raw: unknown): Header | undefined {
  const { data } = headerSchema.safeParse(raw);
  return (
    data && {
      block: { number: BigInt(data.number), hash: lower(data.hash), timestamp: BigInt(data.timestamp) },
      miner: data.miner,
      raw,
    }
  );
}

const lower = (text: string) => text.toLowerCase() as Hex;
