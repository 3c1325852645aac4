import { type Address, type Hash, type Hex, hexToBigInt, numberToHex } from 'viem';
import type { Reader, Signer } from './deploy-contracts.js';
import { usdcPaymasterAbi } from './generated/UsdcPaymaster.js';

/**
 * Compute the whole life of a stored price, in seconds: its last tenth begins at `refreshAt`.
 *
 * @param terms - of the paymaster, in Unix seconds
 * @returns 0 for a price that never expires, and without a price
 */
export function priceLifeSeconds(terms: { readonly validUntil: number; readonly refreshAt: number }): number {
  return 10 * (terms.validUntil - terms.refreshAt);
}

/** Storage slot of `terms` in our paymaster. */
export const paymasterTermsSlot: Hex = numberToHex(2, { size: 32 });

const never = 2n ** 47n - 1n;
const validUntilShift = 64n;
const refreshAtShift = 112n;

/**
 * Let the stored price of our paymaster never expire. For forks and local chains, whose storage can be written: nobody
 * refreshes the price there while they are idle.
 *
 * @param terms - the word at `paymasterTermsSlot`
 * @returns the word to write there
 */
export function withoutPriceExpiry(terms: Hex): Hex {
  const times = (never << validUntilShift) | (never << refreshAtShift);
  return numberToHex(hexToBigInt(terms) | times, { size: 32 });
}

/**
 * Let our paymaster store the present price of its feeds. Anyone may.
 *
 * @returns the transaction, which succeeded
 * @throws {ContractFunctionExecutionError} when the feeds have no usable price; viem's error names the reason
 * @example
 * await updatePaymasterPrice(wallet, publicClient, localContracts.paymaster);
 */
export async function updatePaymasterPrice(
  wallet: Signer,
  publicClient: Reader,
  paymaster: Address,
): Promise<Hash> {
  const hash = await wallet.writeContract({
    address: paymaster,
    abi: usdcPaymasterAbi,
    functionName: 'updatePrice',
    chain: wallet.chain,
  });
  await publicClient.waitForTransactionReceipt({ hash });
  return hash;
}
