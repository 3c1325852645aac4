import { setTimeout as pause } from 'node:timers/promises';
import { ForkNotRunningError } from '@yield-vault/protocol';
import {
  formatTransactionReceipt,
  numberToHex,
  RpcRequestError,
  type Hex,
  type RpcTransactionReceipt,
} from 'viem';
import { z } from 'zod';
import type { Fork, SentTransaction, UnsignedTransaction } from '../types.js';
import { tenderlyDetails } from './as-tenderly-error.js';
import { readAnswer } from './read-answer.js';

// Below the limit that Osaka sets for one transaction (2^24). It costs nothing to allow that much.
const mostGas = 16_000_000n;
const receiptMs = 30_000;
const pollMs = 100;

const hash = z
  .string()
  .regex(/^0x[\da-f]{64}$/i)
  .transform((value) => value as Hex);
const trace = z.object({
  output: z
    .string()
    .regex(/^0x[\da-f]*$/i)
    .transform((value) => value as Hex),
});

/**
 * Send a transaction without a signature, which Tenderly allows for every sender, and wait for its receipt.
 *
 * @throws {ForkNotRunningError} there is no receipt in time
 */
export async function sendAs(
  request: Fork['request'],
  { from, to, data, value, gas }: UnsignedTransaction,
): Promise<SentTransaction> {
  const transaction = {
    from,
    to,
    // Whoever is spoken for need not own ETH.
    gasPrice: '0x0',
    gas: numberToHex(gas ?? mostGas),
    ...(data !== undefined && { data }),
    ...(value !== undefined && { value: numberToHex(value) }),
  };
  const txHash = readAnswer(hash, await request('eth_sendTransaction', [transaction]));
  const { status, gasUsed, logs } = formatTransactionReceipt(await waitForReceipt(request, txHash));
  const returnData = await readReturnData(request, txHash);
  return { hash: txHash, success: status === 'success', gasUsed, logs, returnData };
}

async function waitForReceipt(request: Fork['request'], txHash: Hex): Promise<RpcTransactionReceipt> {
  const deadline = Date.now() + receiptMs;
  for (;;) {
    const receipt = await request('eth_getTransactionReceipt', [txHash]);
    if (receipt) return receipt as RpcTransactionReceipt;
    if (Date.now() >= deadline) {
      throw new ForkNotRunningError({
        detail: 'Tenderly: a transaction was not mined in time.',
        details: { ...tenderlyDetails, txHash },
      });
    }
    await pause(pollMs);
  }
}

// Tracing is not part of every plan.
async function readReturnData(request: Fork['request'], txHash: Hex): Promise<Hex> {
  try {
    const answer = await request('debug_traceTransaction', [txHash, { tracer: 'callTracer' }]);
    return trace.safeParse(answer).data?.output ?? '0x';
  } catch (error) {
    if (error instanceof RpcRequestError) return '0x';
    throw error;
  }
}
