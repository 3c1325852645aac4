import { encodeAbiParameters, keccak256, type Address, type Hex, type PublicClient } from 'viem';

/** Set in the storage of Circle's FiatToken for a blacklisted wallet; the balance is in the bits below it. */
export const blacklistBit = 1n << 255n;

/** Compute where a mapping at `slot` keeps the balance of a wallet. */
export function balanceSlotOf(slot: number, wallet: Address): Hex {
  return keccak256(encodeAbiParameters([{ type: 'address' }, { type: 'uint256' }], [wallet, BigInt(slot)]));
}

/** Read the whole word: the balance and what is packed with it. */
export async function readBalanceSlot(
  client: PublicClient,
  token: Address,
  slot: number,
  wallet: Address,
): Promise<bigint> {
  return BigInt((await client.getStorageAt({ address: token, slot: balanceSlotOf(slot, wallet) })) ?? '0x0');
}
