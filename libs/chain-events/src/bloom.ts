import { hexToBytes, keccak256, type Address, type Hex } from 'viem';

/**
 * Whether the bloom filter of a block tells of logs of an address. It may also tell of logs that are not there; see the
 * Yellow Paper, 4.3.1.
 */
export function createBloomTest(logsBloom: Hex): (address: Address) => boolean {
  const bloom = hexToBytes(logsBloom);
  return (address) => {
    const hash = keccak256(address, 'bytes');
    return [0, 2, 4].every((place) => {
      const bit = ((hash[place]! << 8) | hash[place + 1]!) & 2047;
      return ((bloom[255 - (bit >> 3)]! >> (bit & 7)) & 1) === 1;
    });
  };
}
