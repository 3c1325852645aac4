import { parseTransaction, type Hex } from 'viem';

const executing = new Set([
  'eth_call',
  'eth_createAccessList',
  'eth_estimateGas',
  'eth_fillTransaction',
  'eth_simulateV1',
]);
const sending = new Set(['eth_sendRawTransaction', 'eth_sendRawTransactionSync']);
// The default of nodes for a simulated call, and the estimate for a transaction that cannot be parsed.
const gasOfBlock = 30_000_000n;
// More than any node accepts. Adding a negative amount would make room for another call.
const tooMuch = 2n ** 256n;

/**
 * Add up the gas that a call may use: every gas field in its parameters, also in simulated calls, block overrides and
 * a signed transaction. The result is 0 when the node chooses the gas, or executes nothing. An invalid amount counts as
 * more than any node accepts.
 */
export function requestedGas(method: string, params: unknown): bigint {
  if (sending.has(method)) return gasSigned(params);
  if (!executing.has(method)) return 0n;
  let gas = 0n;
  // Not recursive, so that deep nesting cannot overflow the stack.
  const open: unknown[] = [params];
  while (open.length > 0) {
    for (const [key, value] of entriesOf(open.pop())) {
      if (isGas(key)) gas += amountOf(value);
      else open.push(value);
      if (key === 'calls') gas += gasOfBlock * BigInt(entriesOf(value).filter(namesNoGas).length);
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

function namesNoGas([, call]: [string, unknown]): boolean {
  return !entriesOf(call).some(([key, value]) => isGas(key) && value !== null);
}

function isGas(key: string): boolean {
  return key === 'gas' || key === 'gasLimit';
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
