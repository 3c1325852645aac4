import { findError } from '@yield-vault/protocol';
import { formatTransactionReceipt, numberToHex, type Hex, type RpcTransactionReceipt } from 'viem';
import { z } from 'zod';
import type { Fork } from '../types.js';
import { readRefusal, writeCall } from './simulate-v1.js';
import type { SimulatedCall, SimulatedCallResult, SimulatedCalls, StateOverrides } from './types.js';

const blockSchema = z.object({ timestamp: z.string(), baseFeePerGas: z.string() });

/**
 * Run a call as a real transaction on a fork of its own.
 *
 * @param overrides - written to the fork first; its balances and code only
 * @param now - Unix milliseconds
 */
export async function runOnFork(
  { request }: Pick<Fork, 'request'>,
  call: SimulatedCall,
  overrides: StateOverrides,
  now: number,
): Promise<SimulatedCalls> {
  for (const [address, { balance, code }] of Object.entries(overrides)) {
    if (balance !== undefined) await request('anvil_setBalance', [address, numberToHex(balance)]);
    if (code !== undefined) await request('anvil_setCode', [address, code]);
  }
  const newest = blockSchema.parse(await request('eth_getBlockByNumber', ['latest', false]));
  const seconds = BigInt(Math.floor(now / 1_000));
  const timestamp = BigInt(newest.timestamp);
  await request('anvil_setNextBlockBaseFeePerGas', [newest.baseFeePerGas]);
  await request('evm_setNextBlockTimestamp', [numberToHex(seconds > timestamp ? seconds : timestamp + 1n)]);
  await request('anvil_impersonateAccount', [call.from]);
  try {
    return { calls: [await send(request, call)] };
  } catch (error) {
    const refused = readRefusal(error);
    if (refused === undefined) throw error;
    return { refused };
  }
}

async function send(request: Fork['request'], call: SimulatedCall): Promise<SimulatedCallResult> {
  const raw = await request('eth_sendTransactionSync', [writeCall(call)]);
  const { status, gasUsed, logs } = formatTransactionReceipt(raw as RpcTransactionReceipt);
  if (status === 'success') return { status, gasUsed, returnData: '0x', logs };
  // The state is what it was: the same call reverts with the same data. A trace of the first transaction can be missing.
  const returnData = await readRevertData(request, call);
  return { status: returnData === '0x' ? 'halt' : 'revert', gasUsed, returnData, logs };
}

async function readRevertData(request: Fork['request'], call: SimulatedCall): Promise<Hex> {
  try {
    return (await request('eth_call', [writeCall(call), 'latest'])) as Hex;
  } catch (error) {
    const refusal = findError(error, 'RpcRequestError');
    if (!refusal) throw error;
    return typeof refusal.data === 'string' ? (refusal.data as Hex) : '0x';
  }
}
