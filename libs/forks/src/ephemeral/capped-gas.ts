import type { SimulatedCall } from '../types.js';

/** Most gas of one call: no node stops a simulation whose caller has gone. */
const maxGasPerCall = 30_000_000n;

/** Say how much gas a call gets. */
export function cappedGas({ gas = maxGasPerCall }: Pick<SimulatedCall, 'gas'>): bigint {
  return gas < maxGasPerCall ? gas : maxGasPerCall;
}
