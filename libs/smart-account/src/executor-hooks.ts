import {
  concat,
  getAddress,
  hexToBigInt,
  hexToNumber,
  maxUint256,
  numberToHex,
  size,
  slice,
  type Hex,
} from 'viem';
import { MalformedHooksError } from './errors.js';
import type { ApproveHook, ExecutorHook } from './executor-hook.js';

/** Most hooks that the executor takes in one call. */
export const maxHooks = 8;

const hookIds = { deposit: 0x01, redeem: 0x02, approve: 0x03, depositKeepingOne: 0x81 } as const;
const vaultRecordBytes = 105;
const approveRecordBytes = 73;
// The executor reads the largest number as "previous" in a deposit and "all" in a redeem.
const sentinel = maxUint256;

/**
 * Pack hooks as the executor reads them: one to eight records of an id byte and its fields, back to back.
 *
 * @throws {MalformedHooksError} when there are none or too many, or a number does not fit
 */
export function encodeExecutorHooks(hooks: readonly ExecutorHook[]): Hex {
  requireCount(hooks.length);
  return concat(hooks.map(encodeHook));
}

/**
 * Unpack executor hooks.
 *
 * @throws {MalformedHooksError} when the bytes are not exactly one to eight known records
 */
export function decodeExecutorHooks(entries: Hex): ExecutorHook[] {
  const hooks: ExecutorHook[] = [];
  const end = size(entries);
  let cursor = 0;
  while (cursor < end) {
    const length = recordBytes(entries, cursor);
    if (end - cursor < length) throw new MalformedHooksError('the last record is truncated');
    hooks.push(decodeHook(slice(entries, cursor, cursor + length)));
    cursor += length;
  }
  requireCount(hooks.length);
  return hooks;
}

function encodeHook(hook: ExecutorHook): Hex {
  const keepsOne = hook.hook === 'deposit' && hook.keepOne;
  const id = numberToHex(keepsOne ? hookIds.depositKeepingOne : hookIds[hook.hook], { size: 1 });
  if (hook.hook === 'approve')
    return concat([id, hook.spender, hook.token, word(hook.amount)]).toLowerCase() as Hex;
  const [amount, minimum] =
    hook.hook === 'deposit'
      ? [hook.amount === 'previous' ? sentinel : exact(hook.amount), hook.minShares]
      : [hook.shares === 'all' ? sentinel : exact(hook.shares), hook.minAssets];
  return concat([id, hook.vault, hook.token, word(amount), word(positive(minimum))]).toLowerCase() as Hex;
}

function decodeHook(record: Hex): ExecutorHook {
  if (size(record) === approveRecordBytes) return decodeApprove(record);
  const vault = getAddress(slice(record, 1, 21));
  const token = getAddress(slice(record, 21, 41));
  const amount = hexToBigInt(slice(record, 41, 73));
  const minimum = positive(hexToBigInt(slice(record, 73, 105)));
  const id = hexToNumber(slice(record, 0, 1));
  if (id === hookIds.redeem)
    return { hook: 'redeem', vault, token, shares: amount === sentinel ? 'all' : amount, minAssets: minimum };
  return {
    hook: 'deposit',
    vault,
    token,
    amount: amount === sentinel ? 'previous' : amount,
    minShares: minimum,
    ...(id === hookIds.depositKeepingOne && { keepOne: true }),
  };
}

function decodeApprove(record: Hex): ApproveHook {
  return {
    hook: 'approve',
    spender: getAddress(slice(record, 1, 21)),
    token: getAddress(slice(record, 21, 41)),
    amount: hexToBigInt(slice(record, 41)),
  };
}

function recordBytes(entries: Hex, cursor: number): number {
  const id = Number(slice(entries, cursor, cursor + 1));
  if (id === hookIds.approve) return approveRecordBytes;
  if (id === hookIds.deposit || id === hookIds.depositKeepingOne || id === hookIds.redeem)
    return vaultRecordBytes;
  throw new MalformedHooksError(`unknown hook ${id}`);
}

function requireCount(count: number): void {
  if (count < 1 || count > maxHooks) throw new MalformedHooksError(`${count} hooks, not 1 to ${maxHooks}`);
}

function exact(amount: bigint): bigint {
  if (amount === sentinel) throw new MalformedHooksError('the largest number is reserved');
  return amount;
}

// The executor refuses a minimum of zero: it would switch the protection off.
function positive(minimum: bigint): bigint {
  if (minimum === 0n) throw new MalformedHooksError('a minimum of zero');
  return minimum;
}

function word(value: bigint): Hex {
  if (value < 0n || value > maxUint256) throw new MalformedHooksError(`${value} is not a uint256`);
  return numberToHex(value, { size: 32 });
}
