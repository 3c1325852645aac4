import {
  type Address,
  concat,
  getAddress,
  type Hex,
  numberToHex,
  pad,
  type PublicClient,
  type StateOverride,
  toFunctionSelector,
  zeroAddress,
} from 'viem';
import { type Read, readBatches, toBatches } from '../chain/read-contracts.js';

/** Reads groups of calls at one block, and returns the data of each call in the same groups; undefined where it reverted. */
export type GroupReader = (
  groups: readonly (readonly Read[])[],
  stateOverride?: StateOverride,
) => Promise<readonly (readonly (Hex | undefined)[])[]>;

const readsPerBatch = 200;

export function createGroupReader(rpc: PublicClient, block: bigint): GroupReader {
  return async (groups, stateOverride) => {
    const batches = toBatches(groups.flat(), readsPerBatch);
    const results = await readBatches(rpc, batches, block, stateOverride);
    let next = 0;
    return groups.map((group) => group.map(() => results[next++]));
  };
}

/**
 * Encode a call whose arguments are one word each.
 *
 * @param signature - e.g. `position(bytes32,address)`
 */
export function toRead(target: Address, signature: string, ...words: readonly (bigint | Hex)[]): Read {
  const encoded = words.map((word) =>
    typeof word === 'bigint' ? numberToHex(word, { size: 32 }) : pad(word),
  );
  return { target, callData: concat([toFunctionSelector(signature), ...encoded]) };
}

const maxWords = 16;

/** The first words of a response; none where it is missing. Contracts may return anything. */
export function wordsOf(data: Hex | undefined): bigint[] {
  const count = Math.min(maxWords, Math.floor(((data?.length ?? 2) - 2) / 64));
  return Array.from({ length: count }, (_, index) =>
    BigInt(`0x${data!.slice(2 + 64 * index, 66 + 64 * index)}`),
  );
}

/** The address that a response begins with; undefined where it is none. */
export function addressOf(data: Hex | undefined): Address | undefined {
  const [word] = wordsOf(data);
  return word === undefined || word >> 160n ? undefined : getAddress(numberToHex(word, { size: 20 }));
}

/** The zero address names nobody. */
export const orNull = (address: Address | undefined): Address | null =>
  address === undefined || address === zeroAddress ? null : address;

/** The addresses that responses begin with, without the zero address. */
export const addressesOf = (responses: readonly (Hex | undefined)[]): Address[] =>
  responses.flatMap((data) => orNull(addressOf(data)) ?? []);
