import { encodeFunctionData, erc20Abi, numberToHex, type Address, type Hex } from 'viem';
import { candidateSlots } from './candidate-slots.js';
import type { Simulator } from './simulator.js';

// Large enough that no token has it by chance, and below 2^96: some tokens keep other things above their balances.
const marker = 1n << 80n;
const wordLength = 66;

/** Finds the storage key at which a token keeps the balance of the simulated holder; each token is asked once. */
export type SlotFinder = (token: Address, simulator: Simulator) => Promise<Hex | undefined>;

/**
 * Make a finder. It gives every candidate another value within one call and looks which of them `balanceOf` answers.
 * A token that computes balances, as a rebasing one does, has no such key.
 */
export function createSlotFinder(): SlotFinder {
  const found = new Map<string, Promise<Hex | undefined>>();
  return (token, simulator) => {
    const known = found.get(token.toLowerCase());
    if (known) return known;
    const search = findSlot(token, simulator);
    found.set(token.toLowerCase(), search);
    // An outage says nothing about the token.
    search.catch(() => found.delete(token.toLowerCase()));
    return search;
  };
}

async function findSlot(token: Address, { holder, run }: Simulator): Promise<Hex | undefined> {
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [holder] });
  for (const candidates of candidateSlots(holder)) {
    const stateDiff = candidates.map((slot, index) => ({
      slot,
      value: numberToHex(marker + BigInt(index), { size: 32 }),
    }));
    const balance = await run({ to: token, data, stateOverride: [{ address: token, stateDiff }] });
    const slot = balance?.length === wordLength && candidates[Number(BigInt(balance) - marker)];
    if (slot) return slot;
  }
  return undefined;
}
