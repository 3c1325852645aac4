import { parseTransaction, type Hex } from 'viem';

const executing = new Set([
  'eth_call',
  'eth_createAccessList',
  'eth_estimateGas',
  'eth_fillTransaction',
  'eth_simulateV1',
]);
const sending = new Set(['eth_sendRawTransaction', 'eth_sendRawTransactionSync']);
// What nodes give a call of a simulation that names none, and what a transaction that is not read may use.
const gasOfBlock = 30_000_000n;
// No node takes it; and were it added up, a negative one would make room for another.
const tooMuch = 2n ** 256n;

/**
 * Add up the gas that a call lets its node use, wherever in its parameters it says so: of the call itself, of the
 * calls of a simulation, of a block that is made up, of a signed transaction. 0 where the node chooses, or where nothing
 * is executed. What is no amount counts as more than any node has.
 */
export function gasAskedFor(method: string, params: unknown): bigint {
  if (sending.has(method)) return gasSigned(params);
  if (!executing.has(method)) return 0n;
  let gas = 0n;
  // Not recursive: however deep it is nested, a body must not overflow the stack.
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

/** The node may know types of transactions that viem does not: what cannot be read is not taken for nothing. */
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
  if (value === null) return 0n; // The same as none.
  if (typeof value !== 'string' && typeof value !== 'number') return tooMuch;
  try {
    const amount = BigInt(value);
    return amount < 0n ? tooMuch : amount;
  } catch {
    return tooMuch;
  }
}
