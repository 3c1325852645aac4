import {
  circuitBreaker,
  CircuitState,
  DelegateBackoff,
  ExponentialBackoff,
  handleWhen,
  retry,
  timeout,
  TimeoutStrategy,
  wrap,
  ConsecutiveBreaker,
  type IRetryBackoffContext,
} from 'cockatiel';
import { findError, walkCauses } from '@yield-vault/protocol';
import type { EIP1193RequestFn, Transport } from 'viem';
import { retryAfterSeconds } from '../as-upstream-error.js';
import { isLagging } from './node-errors.js';
import { UpstreamFailure } from './upstream-failure.js';
import { circuitOpen, isUnsent, timedOut, upstreamReason } from './upstream-reason.js';

const failuresUntilOpen = 30;
const retriesOfReads = 2;

/** Receives how an upstream does; `dependency` is e.g. `rpc:base`. */
export interface UpstreamObserver {
  /** @param isUp - the upstream gave a usable response; a refusal is one */
  onCall(dependency: string, seconds: number, isUp: boolean): void;
  /** Called once for each upstream at the start, and with each change. */
  onBreaker(dependency: string, isOpen: boolean): void;
}

/** How a transport is guarded. */
export interface TransportGuard {
  /** Named in errors, e.g. `rpc:base`. */
  readonly dependency: string;
  /** Longest time that one call may take, retries included. */
  readonly deadlineMs: number;
  /** Retries of a failed read (2). */
  readonly retries?: number | undefined;
  readonly observer?: UpstreamObserver | undefined;
  /** What the observer calls the upstream; `dependency` by default. */
  readonly observedAs?: string;
}

/**
 * Put a deadline, a circuit breaker and, for reads, a small retry around a transport. Calls that get no usable
 * response fail with `UpstreamFailure`; responses of the node, errors included, pass through unchanged.
 */
export function guardTransport(inner: Transport, guard: TransportGuard): Transport {
  const { dependency, deadlineMs, retries = retriesOfReads, observer, observedAs = dependency } = guard;
  const deadline = timeout(deadlineMs, { strategy: TimeoutStrategy.Aggressive, abortOnReturn: false });
  const breaker = circuitBreaker(
    handleWhen((error) => upstreamReason(error) !== undefined),
    {
      breaker: new RequestBreaker(failuresUntilOpen),
      halfOpenAfter: new ExponentialBackoff({ initialDelay: 1_000, maxDelay: 10_000 }),
    },
  );
  observer?.onBreaker(observedAs, false);
  breaker.onStateChange((state) => observer?.onBreaker(observedAs, state === CircuitState.Open));
  const again = retry(handleWhen(isWorthRepeating), {
    maxAttempts: retries,
    // Without jitter, the calls of one batch are retried in one batch. Limits of calls count by the second.
    backoff: new DelegateBackoff<IRetryBackoffContext<unknown>>(({ attempt, result }) =>
      'error' in result && isRateLimit(result.error) ? 1_000 : 50 * attempt,
    ),
  });
  const writes = wrap(deadline, breaker);
  const reads = retries === 0 ? writes : wrap(deadline, again, breaker);

  return (parameters) => {
    const transport = inner({ ...parameters, retryCount: 0 });
    const send = async (...call: Parameters<EIP1193RequestFn>): Promise<unknown> => {
      const result: unknown = await transport.request(...call);
      // Neither a result nor an error: a JSON-RPC node always sends one of the two.
      if (result === undefined) throw new UpstreamFailure(dependency, 'the response is not JSON-RPC');
      return result;
    };
    const request = async (...call: Parameters<EIP1193RequestFn>): Promise<unknown> => {
      const begun = performance.now();
      const observe = (isUp: boolean) =>
        observer?.onCall(observedAs, (performance.now() - begun) / 1_000, isUp);
      try {
        const policy = isReadMethod(call[0].method) ? reads : writes;
        const response = await policy.execute(() => send(...call).catch(rethrowMalformed(dependency)));
        observe(true);
        return response;
      } catch (error) {
        const reason = upstreamReason(error);
        observe(reason === undefined);
        if (reason === undefined) throw error;
        throw new UpstreamFailure(dependency, reason, retryAfterSeconds(error), isUnsent(error));
      }
    };
    return { ...transport, request: request as EIP1193RequestFn };
  };
}

// viem reads fields of the parsed body without looking: a body of another shape surfaces as a TypeError.
function rethrowMalformed(dependency: string) {
  return (error: unknown): never => {
    const isMalformed = walkCauses(error).some((cause) => cause instanceof TypeError && !isNetwork(error));
    throw isMalformed ? new UpstreamFailure(dependency, 'the response is not JSON-RPC') : error;
  };
}

const isRateLimit = (error: Error) => /^rate limit|429$/.test(upstreamReason(error) ?? '');

const isNetwork = (error: unknown) => findError(error, 'HttpRequestError') !== undefined;

// A retry cannot help after a timeout, because no time is left, nor while the circuit is open. Another node behind the same
// address may have a block that this one lacks.
function isWorthRepeating(error: Error): boolean {
  const reason = upstreamReason(error);
  return isLagging(error) || (reason !== undefined && reason !== timedOut && reason !== circuitOpen);
}

/** Opens after many failed HTTP requests in a row. The calls of one batch fail in the same tick and count once. */
class RequestBreaker extends ConsecutiveBreaker {
  private hasCounted = false;

  override failure(): boolean {
    if (this.hasCounted) return false;
    this.hasCounted = true;
    setImmediate(() => (this.hasCounted = false));
    return super.failure();
  }
}

const readMethod =
  /^(eth_(call|get\w+|blockNumber|chainId|estimate\w+|feeHistory|gasPrice|maxPriorityFeePerGas|supportedEntryPoints|createAccessList|simulateV1)|net_\w+|web3_\w+|pimlico_get\w+|pm_get\w+)$/;

/** Whether a JSON-RPC method changes nothing, so that it may be sent twice. */
export function isReadMethod(method: string): boolean {
  return readMethod.test(method);
}
