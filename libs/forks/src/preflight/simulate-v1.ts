import { isNamed } from '@yield-vault/protocol';
import { numberToHex, pad, type Hex } from 'viem';
import { z } from 'zod';
import type {
  RefusalReason,
  SimulatedCall,
  SimulatedCallResult,
  SimulatedCalls,
  StateOverrides,
} from './types.js';

/** Values of the simulated block that replace the node's own. */
export interface BlockOverrides {
  /** Unix seconds. */
  readonly time: bigint;
  readonly baseFeePerGas?: bigint;
}

/** Build the parameters of `eth_simulateV1`: calls in one block on top of the newest one. */
export function buildSimulation(
  calls: readonly SimulatedCall[],
  stateOverrides: StateOverrides,
  block: BlockOverrides | undefined,
): readonly unknown[] {
  const blockStateCall = {
    blockOverrides: block && { time: numberToHex(block.time), baseFeePerGas: hexOf(block.baseFeePerGas) },
    stateOverrides: Object.fromEntries(
      Object.entries(stateOverrides).map(([address, { balance, code, stateDiff }]) => [
        address,
        {
          balance: hexOf(balance),
          code,
          stateDiff:
            stateDiff &&
            Object.fromEntries(
              Object.entries(stateDiff).map(([slot, value]) => [pad(slot as Hex), pad(value)]),
            ),
        },
      ]),
    ),
    calls: calls.map(writeCall),
  };
  // Validation makes calls pay the base fee, so the node refuses a call without `maxFeePerGas`.
  const validation = calls.every(({ maxFeePerGas }) => maxFeePerGas !== undefined);
  return [{ blockStateCalls: [blockStateCall], validation }, 'latest'];
}

/** Write a call as JSON-RPC takes it. */
export function writeCall(call: SimulatedCall): Readonly<Record<string, unknown>> {
  const { from, to, data, gas, maxFeePerGas, maxPriorityFeePerGas } = call;
  return {
    from,
    to,
    data,
    gas: numberToHex(gas),
    maxFeePerGas: hexOf(maxFeePerGas),
    maxPriorityFeePerGas: hexOf(maxPriorityFeePerGas),
  };
}

function hexOf(value: bigint | undefined): Hex | undefined {
  return value === undefined ? undefined : numberToHex(value);
}

const hex = z.custom<Hex>((value) => typeof value === 'string' && /^0x[0-9a-f]*$/i.test(value));
const quantity = hex.transform((value) => BigInt(value === '0x' ? 0 : value));
const callSchema = z.object({
  status: quantity,
  gasUsed: quantity,
  returnData: hex,
  logs: z.array(z.object({ address: hex, topics: z.array(hex), data: hex })).default([]),
  error: z.object({ code: z.number(), data: z.unknown().optional() }).optional(),
});
const responseSchema = z.tuple([z.object({ calls: z.array(callSchema) })]);

/** Code of Geth and Reth for a call that reverted, with data or without. */
const reverted = 3;

/**
 * Read the response to `eth_simulateV1` of one block.
 *
 * @throws {z.ZodError} the response has another form
 */
export function readSimulation(response: unknown): readonly SimulatedCallResult[] {
  const [{ calls }] = responseSchema.parse(response);
  return calls.map(({ status, gasUsed, returnData, logs, error }) => {
    // Geth returns revert data in the error alone, Anvil and Reth as return data.
    const errorData = hex.safeParse(error?.data);
    const data = returnData === '0x' && errorData.success ? errorData.data : returnData;
    return {
      status: status === 1n ? 'success' : data !== '0x' || error?.code === reverted ? 'revert' : 'halt',
      gasUsed,
      returnData: data,
      logs: logs.map((log) => ({ ...log, topics: log.topics as [Hex, ...Hex[]] })),
    };
  });
}

// The codes of the specification, and the messages of Anvil 1.7, which has other codes.
const refusals: readonly (readonly [RefusalReason, readonly number[], RegExp])[] = [
  ['INSUFFICIENT_BALANCE', [-38014], /insufficient funds/i],
  ['INTRINSIC_GAS_TOO_LOW', [-38013], /intrinsic gas|CallGasCostMoreThanGasLimit/i],
  ['FEE_TOO_LOW', [-38012], /max fee per gas less than|priority ?fee.*(higher|greater)/i],
  ['BLOCK_OUT_OF_ORDER', [-38020, -38021], /block (numbers|timestamps) must be in order/i],
  ['NOT_INCLUDED', [-38010, -38011, -38015, -38024, -38025], /nonce too (low|high)|block gas limit/i],
];

/** Recognise that the node refused a call that no block could contain; undefined for every other error. */
export function readRefusal(error: unknown): RefusalReason | undefined {
  if (!isNamed(error, 'RpcRequestError')) return undefined;
  return refusals.find(([, codes, words]) => codes.includes(error.code) || words.test(error.details))?.[0];
}

/**
 * Simulate calls by `eth_simulateV1`.
 *
 * @param send - sends the request with these parameters
 */
export async function simulateCalls(
  send: (parameters: readonly unknown[]) => Promise<unknown>,
  calls: readonly SimulatedCall[],
  stateOverrides: StateOverrides,
  block?: BlockOverrides,
): Promise<SimulatedCalls> {
  try {
    return { calls: readSimulation(await send(buildSimulation(calls, stateOverrides, block))) };
  } catch (error) {
    const refused = readRefusal(error);
    if (refused === undefined) throw error;
    return { refused };
  }
}
