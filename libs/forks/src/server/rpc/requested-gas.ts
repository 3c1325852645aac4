import { numberToHex, parseTransaction, type Hex } from 'viem';
import { z } from 'zod';

// A call of a fork's RPC may use only so much gas. These functions count it.
const simulating = 'eth_simulateV1';
const executing = new Set(['eth_call', 'eth_createAccessList', 'eth_estimateGas', simulating]);
const sending = new Set(['eth_sendRawTransaction', 'eth_sendRawTransactionSync']);
// For a call that names no gas, and for a transaction that cannot be parsed.
const gasOfBlock = 30_000_000n;
// More than any node accepts. Adding a negative amount would make room for another call.
const tooMuch = 2n ** 256n;

const simulationSchema = z.looseObject({
  blockStateCalls: z.array(z.looseObject({ calls: z.array(z.unknown()).nullish() })),
});

/**
 * Name a gas limit in every executed call that names none. Otherwise the node takes the limit of the chain's blocks,
 * which is several hundred million gas on some chains.
 *
 * @returns The same parameters when no gas is missing; undefined when a simulation has another form.
 */
export function nameGas(method: string, params: unknown): unknown {
  if (!executing.has(method) || !Array.isArray(params)) return params;
  const [first, ...rest] = params as readonly unknown[];
  if (method !== simulating) return namesGas(first) ? params : [withGas(first), ...rest];
  const { data: simulation } = simulationSchema.safeParse(first);
  if (!simulation) return undefined;
  const blockStateCalls = simulation.blockStateCalls.map((block) => ({
    ...block,
    calls: block.calls?.map(withGas),
  }));
  return [{ ...simulation, blockStateCalls }, ...rest];
}

/**
 * Add up the gas that a call may use: every gas field in its parameters, also in simulated calls, block overrides and
 * a signed transaction. The result is 0 when the node executes nothing. An invalid amount counts as more than any node
 * accepts.
 */
export function requestedGas(method: string, params: unknown): bigint {
  if (sending.has(method)) return gasSigned(params);
  if (!executing.has(method)) return 0n;
  let gas = 0n;
  // Not recursive, so that deep nesting cannot overflow the stack.
  const open: unknown[] = [params];
  while (open.length > 0) {
    for (const [key, value] of entriesOf(open.pop())) {
      if (key === 'gas' || key === 'gasLimit') gas += amountOf(value);
      else open.push(value);
    }
  }
  return gas;
}

/** The node may know transaction types that viem cannot parse. */
function gasSigned(params: unknown): bigint {
  const [signed] = Array.isArray(params) ? (params as readonly unknown[]) : [];
  try {
    return parseTransaction(signed as Hex).gas ?? 0n;
  } catch {
    return gasOfBlock;
  }
}

function entriesOf(value: unknown): [string, unknown][] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}

/** Nodes ignore `gasLimit` in a call. A value that is not an object is not a call. */
function namesGas(call: unknown): boolean {
  if (typeof call !== 'object' || call === null) return true;
  return 'gas' in call && call.gas !== null;
}

function withGas(call: unknown): unknown {
  return namesGas(call) ? call : { ...(call as object), gas: numberToHex(gasOfBlock) };
}

function amountOf(value: unknown): bigint {
  if (value === null) return 0n; // The same as absent.
  if (typeof value !== 'string' && typeof value !== 'number') return tooMuch;
  try {
    const amount = BigInt(value);
    return amount < 0n ? tooMuch : amount;
  } catch {
    return tooMuch;
  }
}
