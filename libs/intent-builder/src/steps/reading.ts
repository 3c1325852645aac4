import { asUpstreamError, type ActiveChain } from '@yield-vault/chains';
import { decodeRevertReason } from '@yield-vault/contracts';
import { BaseError, isHex } from 'viem';
import type { Reading } from '../types.js';

/** One answer of a multicall. */
type Result = { readonly result?: bigint; readonly error?: Error };

/** Take the answer of a call that only an outage can keep from answering. */
export function required({ result, error }: Result, chain: ActiveChain): bigint {
  if (result !== undefined) return result;
  throw asUpstreamError(error, `rpc:${chain.key}`) ?? error ?? new Error('a call of the batch has no answer');
}

/** Turn the answer of one call into a reading: a revert is an answer, an outage is not. */
export function readingOf({ result, error }: Result, chain: ActiveChain): Reading {
  if (result !== undefined) return { value: result };
  const outage = asUpstreamError(error, `rpc:${chain.key}`);
  if (outage) throw outage;
  return { revertReason: revertReasonOf(error) };
}

function revertReasonOf(error: unknown): string {
  if (!(error instanceof BaseError)) throw error;
  const cause = error.walk((e) => 'raw' in (e as object) || isHex((e as { data?: unknown }).data));
  const { raw, data } = (cause ?? {}) as { raw?: unknown; data?: unknown };
  const bytes = isHex(raw) ? raw : data;
  return isHex(bytes) ? decodeRevertReason(bytes) : 'NO_REASON';
}
