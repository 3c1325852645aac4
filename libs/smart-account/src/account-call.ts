import { yieldVaultAccountAbi } from '@yield-vault/contracts';
import {
  decodeFunctionData,
  encodeFunctionData,
  getAbiItem,
  hexToBigInt,
  type Address,
  type Hex,
} from 'viem';
import { CallDataNotAllowedError } from './errors.js';
import { decodeExecutorHooks, encodeExecutorHooks } from './executor-hooks.js';
import type { ExecutorHook } from './executor-hook.js';

// With the whole ABI, each read would hash the functions before it.
const abi = [getAbiItem({ abi: yieldVaultAccountAbi, name: 'runHooks' })] as const;

/** Encode the call data of a user operation that runs hooks: the account runs them by its executor's code. */
export function encodeAccountCall(hooks: readonly ExecutorHook[]): Hex {
  return encodeFunctionData({ abi, args: [encodeExecutorHooks(hooks)] }).toLowerCase() as Hex;
}

/**
 * Read back which hooks the call data of a user operation runs. Only the canonical encoding passes: whatever is
 * accepted encodes to the very same bytes again, so nothing can hide in offsets, padding or behind the end.
 *
 * @throws {CallDataNotAllowedError} unless it is exactly one call of `runHooks` with known hooks
 */
export function decodeAccountCall(callData: Hex): ExecutorHook[] {
  const bytes = callData.toLowerCase() as Hex;
  const hooks = readHooks(bytes);
  if (encodeAccountCall(hooks) !== bytes) {
    throw new CallDataNotAllowedError('the call data is not in its canonical encoding');
  }
  return hooks;
}

function readHooks(data: Hex): ExecutorHook[] {
  const entries = decodeEntries(data);
  if (entries === undefined) throw new CallDataNotAllowedError('not a call of runHooks of the account');
  try {
    return decodeExecutorHooks(entries);
  } catch (cause) {
    throw new CallDataNotAllowedError('the hooks are malformed', { cause });
  }
}

function decodeEntries(data: Hex): Hex | undefined {
  try {
    return decodeFunctionData({ abi, data }).args[0];
  } catch {
    return undefined;
  }
}

const sequenceBits = 64;

/** Compute the uint192 nonce key that makes the account validate with a module: its address in the top 20 bytes. */
export function nonceKey(validator: Address): bigint {
  return hexToBigInt(validator) << 32n;
}

/** Split the nonce of a user operation as its entry point does: each key counts a sequence of its own. */
export function splitNonce(nonce: bigint): { readonly key: bigint; readonly sequence: bigint } {
  return { key: nonce >> BigInt(sequenceBits), sequence: BigInt.asUintN(sequenceBits, nonce) };
}
