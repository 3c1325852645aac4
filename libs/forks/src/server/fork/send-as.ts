import { findError } from '@yield-vault/protocol';
import {
  formatTransactionReceipt,
  numberToHex,
  type Address,
  type Hex,
  type RpcTransactionReceipt,
  type TransactionReceipt,
} from 'viem';
import type { ForkRequest } from './create-fork-request.js';

export interface UnsignedTransaction {
  readonly from: Address;
  readonly to: Address;
  readonly data?: Hex | undefined;
  readonly value?: bigint | undefined;
}

// Below the limit of Osaka for one transaction (2^24).
const mostGas = 16_000_000n;

/** Send a transaction from any account and wait until it is mined, reverted or not. One at a time on a fork. */
export async function sendAs(
  request: ForkRequest,
  { from, to, data, value = 0n }: UnsignedTransaction,
): Promise<TransactionReceipt> {
  const call = { from, to, value: numberToHex(value), data };
  const gas = numberToHex(await estimateGas(request, call));
  await request('anvil_impersonateAccount', [from]);
  try {
    const receipt = await request('eth_sendTransactionSync', [{ ...call, gas }]);
    return formatTransactionReceipt(receipt as RpcTransactionReceipt);
  } finally {
    // The fork may be gone.
    await request('anvil_stopImpersonatingAccount', [from]).catch(() => undefined);
  }
}

async function estimateGas(request: ForkRequest, call: object): Promise<bigint> {
  try {
    const estimate = BigInt((await request('eth_estimateGas', [call])) as Hex);
    // The state may change until the transaction is mined.
    const generous = (estimate * 6n) / 5n;
    return generous < mostGas ? generous : mostGas;
  } catch (error) {
    // The transaction reverts; its receipt says so.
    if (findError(error, 'RpcRequestError')) return mostGas;
    throw error;
  }
}
