import { BaseError, RpcRequestError } from 'viem';
import { UpstreamFailure } from './upstream-failure.js';

// How nodes and the proxies before them say "too much": in time, in results, in bytes.
const sizeReason = /^(timed out|rate limit exceeded|JSON-RPC error|HTTP status (408|413|504))/;

/**
 * Tell whether a node that refused a range of logs may accept a smaller one. Providers share no code for "too
 * large", so every JSON-RPC error counts, and time running out; a node that is away will not do better.
 */
export function mayShrinkRange(error: unknown): boolean {
  return (
    error instanceof BaseError &&
    error.walk((cause) =>
      cause instanceof UpstreamFailure ? sizeReason.test(cause.reason) : cause instanceof RpcRequestError,
    ) !== null
  );
}
