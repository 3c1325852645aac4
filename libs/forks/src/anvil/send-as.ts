import {
  formatTransactionReceipt,
  numberToHex,
  RpcRequestError,
  type Address,
  type Hex,
  type RpcTransactionReceipt,
  type TransactionReceipt,
} from 'viem';
import { z } from 'zod';
import type { ForkRequest } from '../rpc/create-fork-request.js';
import type { SentTransaction, UnsignedTransaction } from '../types.js';

// Below the limit of Osaka for one transaction (2^24).
const mostGas = 16_000_000n;
const traceSchema = z.object({ output: z.string().startsWith('0x').optional() });

/** Send a transaction from any account and wait until it is mined, reverted or not. One at a time on a fork. */
export async function sendAs(
  request: ForkRequest,
  transaction: UnsignedTransaction,
): Promise<SentTransaction> {
  const { from, to, data, value = 0n } = transaction;
  const call = { from, to, value: numberToHex(value), ...(data && { data }) };
  const gas = transaction.gas ?? (await estimateGas(request, call));
  const receipt = await sendAndWait(request, { ...call, gas: numberToHex(gas) });
  return {
    hash: receipt.transactionHash,
    success: receipt.status === 'success',
    gasUsed: receipt.gasUsed,
    logs: receipt.logs,
    returnData: await readReturnData(request, receipt.transactionHash),
  };
}

async function sendAndWait(
  request: ForkRequest,
  call: { readonly from: Address; readonly gas: Hex },
): Promise<TransactionReceipt> {
  await request('anvil_impersonateAccount', [call.from]);
  try {
    const receipt = await request('eth_sendTransactionSync', [call]);
    return formatTransactionReceipt(receipt as RpcTransactionReceipt);
  } finally {
    // The fork may be gone.
    await request('anvil_stopImpersonatingAccount', [call.from]).catch(() => undefined);
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
    if (error instanceof RpcRequestError) return mostGas;
    throw error;
  }
}

async function readReturnData(request: ForkRequest, hash: Hex): Promise<Hex> {
  try {
    const trace = await request('debug_traceTransaction', [hash, { tracer: 'callTracer' }]);
    return (traceSchema.parse(trace).output ?? '0x') as Hex;
  } catch (error) {
    if (error instanceof RpcRequestError) return '0x';
    throw error;
  }
}
