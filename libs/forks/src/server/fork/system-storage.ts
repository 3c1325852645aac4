import { pad, type Address } from 'viem';
import { z } from 'zod';
import { parseJson } from '../../json-rpc.js';

/** The contracts that every block writes to: block hashes (EIP-2935) and beacon roots (EIP-4788). */
export const systemContracts: readonly Address[] = [
  '0x0000f90827f1c53a10cb7a02335b175320002935',
  '0x000f3df6d732807ef1319fb7b8bb8522d0beac02',
];

const readSchema = z.object({
  id: z.union([z.string(), z.number(), z.null()]),
  method: z.literal('eth_getStorageAt'),
  params: z.array(z.unknown()),
});
const resultSchema = z.object({ result: z.string() });

/**
 * Build a response for a read of storage that every block writes to, for when the upstream has none. Anvil reads a slot
 * before it writes it, and crashes when the read fails. A silent upstream would otherwise crash its forks.
 *
 * @returns `undefined` for every other call
 */
export function systemStorageResponse(body: Buffer): string | undefined {
  if (!body.includes('eth_getStorageAt')) return undefined;
  const { data } = readSchema.safeParse(parseJson(body));
  if (!data || !systemContracts.includes(String(data.params[0]).toLowerCase() as Address)) return undefined;
  return JSON.stringify({ jsonrpc: '2.0', id: data.id, result: pad('0x0') });
}

/** Check whether a JSON-RPC response has a result. */
export function hasResult(body: string | Uint8Array): boolean {
  return resultSchema.safeParse(parseJson(body)).success;
}
