import {
  concat,
  encodeAbiParameters,
  keccak256,
  numberToHex,
  pad,
  stringToBytes,
  type Address,
  type Hex,
} from 'viem';

/** ERC-7201 namespace whose first member is the mapping of balances. */
const openZeppelinNamespace = namespaceSlot('openzeppelin.storage.ERC20');
/** Where Solady's ERC-20 mixes the balance of an account in. */
const soladySeed = '0x87a211a2';

const ordinarySlots = 61;
const slotsOfLongInheritance = 320;

/**
 * List the storage keys at which tokens are known to keep the balance of a holder, likely ones first: mappings of
 * Solidity and of Vyper in ordinary slots, OpenZeppelin's namespace, Solady.
 *
 * @returns keys to be tried together; the second list only when none of the first answers
 */
export function candidateSlots(holder: Address): readonly (readonly Hex[])[] {
  return [
    [
      ...mappingsOf(holder, 0, ordinarySlots),
      solidityKey(holder, openZeppelinNamespace),
      keccak256(concat([holder, pad(soladySeed, { size: 12 })])),
    ],
    mappingsOf(holder, ordinarySlots, slotsOfLongInheritance),
  ];
}

function namespaceSlot(id: string): Hex {
  const hash = keccak256(numberToHex(BigInt(keccak256(stringToBytes(id))) - 1n, { size: 32 }));
  return numberToHex(BigInt(hash) & ~0xffn, { size: 32 });
}

function mappingsOf(holder: Address, from: number, until: number): Hex[] {
  return Array.from({ length: until - from }, (_, index) => numberToHex(from + index, { size: 32 })).flatMap(
    (slot) => [solidityKey(holder, slot), vyperKey(holder, slot)],
  );
}

function solidityKey(holder: Address, slot: Hex): Hex {
  return keccak256(encodeAbiParameters([{ type: 'address' }, { type: 'bytes32' }], [holder, slot]));
}

function vyperKey(holder: Address, slot: Hex): Hex {
  return keccak256(encodeAbiParameters([{ type: 'bytes32' }, { type: 'address' }], [slot, holder]));
}
