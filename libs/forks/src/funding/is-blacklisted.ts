import { localUsdcAbi } from '@yield-vault/contracts/local';
import type { Address, PublicClient } from 'viem';
import { findServiceError } from '../rpc/find-service-error.js';
import type { UsdcFacts } from '../types.js';
import { blacklistBit, readBalanceSlot } from './balance-slot.js';

/** Tell whether a token refuses to move the balance of a wallet: as it says itself, else as its storage shows. */
export async function isBlacklisted(
  client: PublicClient,
  { address: token, balanceSlot }: UsdcFacts,
  wallet: Address,
): Promise<boolean> {
  try {
    const call = { address: token, abi: localUsdcAbi, args: [wallet] } as const;
    return await client.readContract({ ...call, functionName: 'isBlacklisted' });
  } catch (error) {
    if (findServiceError(error)) throw error;
    // It has no such function.
    if (balanceSlot === undefined) return false;
    return ((await readBalanceSlot(client, token, balanceSlot, wallet)) & blacklistBit) !== 0n;
  }
}
