import {
  circuitBreaker,
  ExponentialBackoff,
  handleWhen,
  retry,
  timeout,
  TimeoutStrategy,
  wrap,
} from 'cockatiel';
import { HttpRequestError, type EIP1193RequestFn, type Transport } from 'viem';
import { retryAfterSeconds } from '../as-upstream-error.js';
import { isReadMethod } from './is-read-method.js';
import { RequestBreaker } from './request-breaker.js';
import { UpstreamFailure } from './upstream-failure.js';
import { upstreamReason } from './upstream-reason.js';
import { walkCauses } from './walk-causes.js';

// Calls that travelled together are repeated each at its own time: one failed prepare is about ten requests.
const failuresUntilOpen = 30;
const retriesOfReads = 2;

/** How a transport is guarded. */
export interface TransportGuard {
  /** Named in errors, e.g. `rpc:base`. */
  readonly dependency: string;
  /** Longest time that one call may take, retries included. */
  readonly deadlineMs: number;
}

/**
 * Put a deadline, a circuit breaker and, for reads, a small retry around a transport. Calls that get no usable
 * answer fail with `UpstreamFailure`; answers of the node, errors included, pass through unchanged.
 */
export function guardTransport(inner: Transport, guard: TransportGuard): Transport {
  const { dependency, deadlineMs } = guard;
  const deadline = timeout(deadlineMs, { strategy: TimeoutStrategy.Aggressive, abortOnReturn: false });
  const breaker = circuitBreaker(
    handleWhen((error) => upstreamReason(error) !== undefined),
    {
      breaker: new RequestBreaker(failuresUntilOpen),
      halfOpenAfter: new ExponentialBackoff({ initialDelay: 1_000, maxDelay: 10_000 }),
    },
  );
  const again = retry(handleWhen(isWorthRepeating), {
    maxAttempts: retriesOfReads,
    backoff: new ExponentialBackoff({ initialDelay: 50, maxDelay: 500 }),
  });
  const reads = wrap(deadline, again, breaker);
  const writes = wrap(deadline, breaker);

  return (parameters) => {
    const transport = inner({ ...parameters, retryCount: 0 });
    const ask = async (...call: Parameters<EIP1193RequestFn>): Promise<unknown> => {
      const result: unknown = await transport.request(...call);
      // Neither a result nor an error: no JSON-RPC node says that.
      if (result === undefined) throw new UpstreamFailure(dependency, 'the answer is not JSON-RPC');
      return result;
    };
    const request = async (...call: Parameters<EIP1193RequestFn>): Promise<unknown> => {
      try {
        const policy = isReadMethod(call[0].method) ? reads : writes;
        return await policy.execute(() => ask(...call).catch(rethrowMalformed(dependency)));
      } catch (error) {
        const reason = upstreamReason(error);
        if (reason === undefined) throw error;
        throw new UpstreamFailure(dependency, reason, retryAfterSeconds(error));
      }
    };
    return { ...transport, request: request as EIP1193RequestFn };
  };
}

// viem reads fields of the parsed body without looking: a body of another shape surfaces as a TypeError.
function rethrowMalformed(dependency: string) {
  return (error: unknown): never => {
    const isMalformed = walkCauses(error).some((cause) => cause instanceof TypeError && !isNetwork(error));
    throw isMalformed ? new UpstreamFailure(dependency, 'the answer is not JSON-RPC') : error;
  };
}

const isNetwork = (error: unknown) => walkCauses(error).some((cause) => cause instanceof HttpRequestError);

// A call that ran into its time limit has used up the deadline; an open circuit stays open.
function isWorthRepeating(error: Error): boolean {
  const reason = upstreamReason(error);
  return reason !== undefined && reason !== 'timed out' && !reason.startsWith('failed too often');
}
