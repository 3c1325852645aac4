import {
  type Address,
  concat,
  encodeAbiParameters,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  keccak256,
  numberToHex,
  pad,
  stringToBytes,
} from 'viem';
import type { Simulator, TokenSlot } from './create-simulator.js';

/** ERC-7201 namespace whose first member is the mapping of balances. */
const openZeppelinNamespace = namespaceSlot('openzeppelin.storage.ERC20');
/** Where Solady's ERC-20 mixes the balance of an account in. */
const soladySeed = '0x87a211a2';

const ordinarySlots = 61;
const slotsOfLongInheritance = 320;

/**
 * List the usual storage keys of a holder's balance, likely ones first: mappings of Solidity and Vyper in low slots,
 * OpenZeppelin's namespace, Solady.
 *
 * @returns lists of keys to try together, one list after the other
 */
function candidateSlots(holder: Address): readonly (readonly Hex[])[] {
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

// Unlikely as a real balance, and below 2^96: some tokens pack other data above their balances.
const marker = 1n << 80n;
const wordLength = 66;

/** Finds the storage key of the simulated holder's balance; each token is searched once. */
export type SlotFinder = (token: Address, simulator: Simulator) => Promise<TokenSlot | undefined>;

/**
 * Create a finder. It sets every candidate to a different value in one call and checks which one `balanceOf` returns.
 * Tokens that compute balances, such as rebasing ones, have no such key.
 */
export function createSlotFinder(): SlotFinder {
  const found = new Map<string, Promise<TokenSlot | undefined>>();
  return (token, simulator) => {
    const known = found.get(token.toLowerCase());
    if (known) return known;
    const search = findSlot(token, simulator);
    found.set(token.toLowerCase(), search);
    // Repeat the search after an outage.
    search.catch(() => found.delete(token.toLowerCase()));
    return search;
  };
}

async function findSlot(address: Address, { holder, run }: Simulator): Promise<TokenSlot | undefined> {
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [holder] });
  for (const candidates of candidateSlots(holder)) {
    const stateDiff = candidates.map((slot, index) => ({
      slot,
      value: numberToHex(marker + BigInt(index), { size: 32 }),
    }));
    const balance = await run({ to: address, data, stateOverride: [{ address, stateDiff }] });
    const balanceSlot = balance?.length === wordLength && candidates[Number(BigInt(balance) - marker)];
    if (balanceSlot) return { address, balanceSlot };
  }
  return undefined;
}
