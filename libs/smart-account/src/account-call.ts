import { yieldExecutorAbi, yieldVaultAccountAbi } from '@yield-vault/contracts';
import {
  concat,
  decodeFunctionData,
  encodeFunctionData,
  hexToBigInt,
  isAddressEqual,
  numberToHex,
  size,
  slice,
  zeroHash,
  type Address,
  type Hex,
} from 'viem';
import { CallDataNotAllowedError } from './errors.js';
import { decodeExecutorHooks, encodeExecutorHooks } from './executor-hooks.js';
import type { ExecutorHook } from './executor-hook.js';

/** ERC-7579 mode of a single call that reverts as a whole. */
const singleCallMode = zeroHash;
const headerBytes = 52;
const noValue = numberToHex(0, { size: 32 });

/** Encode the call data of a user operation that runs hooks: the account calls the executor, with no value. */
export function encodeAccountCall(executor: Address, hooks: readonly ExecutorHook[]): Hex {
  const call = encodeFunctionData({
    abi: yieldExecutorAbi,
    functionName: 'execute',
    args: [encodeExecutorHooks(hooks)],
  });
  const callData = encodeFunctionData({
    abi: yieldVaultAccountAbi,
    functionName: 'execute',
    args: [singleCallMode, concat([executor, noValue, call])],
  });
  return callData.toLowerCase() as Hex;
}

/**
 * Read back which hooks the call data of a user operation runs. Only the canonical encoding passes: whatever is
 * accepted encodes to the very same bytes again, so nothing can hide in offsets, padding or behind the end.
 *
 * @throws {CallDataNotAllowedError} unless it is exactly one call of `executor` with known hooks
 */
export function decodeAccountCall(callData: Hex, executor: Address): ExecutorHook[] {
  const bytes = callData.toLowerCase() as Hex;
  const hooks = readHooks(bytes, executor);
  if (encodeAccountCall(executor, hooks) !== bytes) {
    throw new CallDataNotAllowedError('the call data is not in its canonical encoding');
  }
  return hooks;
}

function readHooks(callData: Hex, executor: Address): ExecutorHook[] {
  const [, execution] = decodeCall(yieldVaultAccountAbi, callData, 'the account') as readonly [Hex, Hex];
  if (size(execution) < headerBytes || !isAddressEqual(slice(execution, 0, 20), executor)) {
    throw new CallDataNotAllowedError('the call is not to the executor');
  }
  const inner = size(execution) > headerBytes ? slice(execution, headerBytes) : '0x';
  const [entries] = decodeCall(yieldExecutorAbi, inner, 'the executor') as readonly [Hex];
  try {
    return decodeExecutorHooks(entries);
  } catch (cause) {
    throw new CallDataNotAllowedError('the hooks are malformed', { cause });
  }
}

function decodeCall(
  abi: typeof yieldVaultAccountAbi | typeof yieldExecutorAbi,
  data: Hex,
  callee: string,
): readonly unknown[] {
  try {
    const call = decodeFunctionData({ abi, data });
    if (call.functionName === 'execute') return call.args;
  } catch (cause) {
    throw new CallDataNotAllowedError(`not a call of ${callee}`, { cause });
  }
  throw new CallDataNotAllowedError(`not a call of execute of ${callee}`);
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
