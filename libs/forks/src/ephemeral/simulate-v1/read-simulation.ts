import type { Hex } from 'viem';
import { z } from 'zod';
import type { SimulatedCallResult } from '../../types.js';
import { callStatus } from '../call-status.js';

const hex = z.custom<Hex>((value) => typeof value === 'string' && /^0x[0-9a-f]*$/i.test(value));
const quantity = hex.transform((value) => BigInt(value === '0x' ? 0 : value));
const callSchema = z.object({
  status: quantity,
  gasUsed: quantity,
  returnData: hex,
  logs: z.array(z.object({ address: hex, topics: z.array(hex), data: hex })).default([]),
});
const blockSchema = z.object({
  number: quantity,
  timestamp: quantity,
  baseFeePerGas: quantity.default(0n),
  calls: z.array(callSchema),
});
const answerSchema = z.tuple([blockSchema]);

/** What a node says about a simulated block. */
export interface SimulatedBlock {
  readonly number: bigint;
  /** Unix seconds. */
  readonly timestamp: bigint;
  readonly baseFeePerGas: bigint;
  readonly calls: readonly SimulatedCallResult[];
}

/**
 * Read the answer to `eth_simulateV1` of one block.
 *
 * @throws {z.ZodError} it is none
 */
export function readSimulation(answer: unknown): SimulatedBlock {
  const [{ calls, ...block }] = answerSchema.parse(answer);
  return {
    ...block,
    calls: calls.map(({ status, gasUsed, returnData, logs }) => ({
      status: callStatus(status === 1n, returnData),
      gasUsed,
      returnData,
      logs: logs.map(({ address, topics, data }) => ({ address, topics: topics as [Hex, ...Hex[]], data })),
    })),
  };
}
