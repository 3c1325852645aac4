const executing = new Set([
  'debug_traceCall',
  'eth_call',
  'eth_createAccessList',
  'eth_estimateGas',
  'eth_fillTransaction',
  'eth_simulateV1',
]);
// What nodes give a call of a simulation that names none is the gas of a block.
const simulatedCallGas = 30_000_000n;

/**
 * Add up the gas that a call lets its node use, wherever in its parameters it says so: of the call itself, of the
 * calls of a simulation, of a block that is made up. 0 where the node chooses, or where nothing is executed.
 */
export function gasAskedFor(method: string, params: unknown): bigint {
  if (!executing.has(method)) return 0n;
  let gas = 0n;
  // Not recursive: however deep it is nested, a body must not overflow the stack.
  const open: unknown[] = [params];
  while (open.length > 0) {
    for (const [key, value] of entriesOf(open.pop())) {
      if (isGas(key)) gas += amountOf(value);
      else open.push(value);
      if (key === 'calls') gas += simulatedCallGas * BigInt(entriesOf(value).filter(namesNoGas).length);
    }
  }
  return gas;
}

function entriesOf(value: unknown): [string, unknown][] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}

function namesNoGas([, call]: [string, unknown]): boolean {
  return !entriesOf(call).some(([key]) => isGas(key));
}

function isGas(key: string): boolean {
  return key === 'gas' || key === 'gasLimit';
}

function amountOf(value: unknown): bigint {
  try {
    return BigInt(value as string | number);
  } catch {
    return 0n; // No node takes it either.
  }
}
