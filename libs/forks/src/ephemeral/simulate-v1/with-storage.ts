import { pad, type Address, type Hex } from 'viem';
import type { KnownStorage } from '../../gateway/types.js';
import type { SimulationRequest, StateOverride } from '../../types.js';

/**
 * Give storage along with a simulation that would read it. It must be what the chain has there: nothing changes but the
 * number of reads. What the request overrides itself stays as it is.
 */
export function withStorage(request: SimulationRequest, storage: KnownStorage): SimulationRequest {
  const merged: Record<Address, StateOverride> = {};
  for (const [address, stateDiff] of entriesOf(storage)) merged[address] = { stateDiff };
  for (const [address, own] of entriesOf(request.stateOverrides ?? {})) {
    const key = lower(address);
    const ownDiff = entriesOf(own.stateDiff ?? {}).map(([slot, value]) => [pad(lower(slot)), value] as const);
    merged[key] = { ...own, stateDiff: { ...merged[key]?.stateDiff, ...Object.fromEntries(ownDiff) } };
  }
  return { ...request, stateOverrides: merged };
}

const entriesOf = <T>(record: Readonly<Record<Hex, T>>) => Object.entries(record) as [Hex, T][];
const lower = (hex: Hex) => hex.toLowerCase() as Hex;
