import { hexToBytes, keccak256, type Address, type Hex } from 'viem';

/** The three bits of a value in the bloom filter of a block; see the Yellow Paper, 4.3.1. */
export function bloomBits(value: Hex): readonly number[] {
  const hash = keccak256(value, 'bytes');
  return [0, 2, 4].map((place) => ((hash[place]! << 8) | hash[place + 1]!) & 2047);
}

/** Whether the logs of a block may have a value as their address or as a topic. */
export function mayContain(bloom: Uint8Array, bits: readonly number[]): boolean {
  return bits.every((bit) => ((bloom[255 - (bit >> 3)]! >> (bit & 7)) & 1) === 1);
}

/** Whether the logs of a block may be of one of these contracts, with one of these topics. */
export function mayHaveEvents(
  logsBloom: Hex,
  addresses: readonly Address[],
  topics: readonly Hex[],
): boolean {
  const bloom = hexToBytes(logsBloom);
  const has = (value: Hex) => mayContain(bloom, bloomBits(value));
  return topics.some(has) && addresses.some(has);
}
