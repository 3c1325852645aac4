import { type Address, concat, type Hex, numberToHex, pad } from 'viem';
import type { Read } from '../src/chain/read-contracts.js';
import { type GroupReader, toRead } from '../src/governance/group-reader.js';

const keyOf = ({ target, callData }: Read) => `${target} ${callData}`.toLowerCase();

/** 32 bytes each. */
export const words = (...values: readonly (bigint | Hex)[]): Hex =>
  concat(values.map((value) => (typeof value === 'bigint' ? numberToHex(value, { size: 32 }) : pad(value))));

/** A function of a contract with its arguments and its response. */
export type Response = readonly [Address, string, readonly (bigint | Hex)[], Hex];

/** Contracts that respond from a table; any other read reverts. */
export interface TableReader {
  readonly read: GroupReader;
  respond(...responses: readonly Response[]): void;
  respondTo(read: Read, data: Hex): void;
  silence(target: Address, signature: string): void;
}

export function createTableReader(): TableReader {
  const table = new Map<string, Hex>();
  return {
    read: (groups) => Promise.resolve(groups.map((group) => group.map((read) => table.get(keyOf(read))))),
    respond: (...responses) => {
      for (const [target, signature, args, data] of responses)
        table.set(keyOf(toRead(target, signature, ...args)), data);
    },
    respondTo: (read, data) => table.set(keyOf(read), data),
    silence: (target, signature) => table.delete(keyOf(toRead(target, signature))),
  };
}
