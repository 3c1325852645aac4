import { findAaCode, findError, isNamed, walkCauses } from '@yield-vault/protocol';
import { BrokenCircuitError, TaskCancelledError } from 'cockatiel';
import type { HttpRequestError, RpcRequestError } from 'viem';
import type { UpstreamFailure } from './upstream-failure.js';
import { isMissingState, isOutOfGas, isRangeRefusal, messageOf } from './node-errors.js';

// -32011 (no healthy backend) and -32016 come from the proxy in front of public OP-stack nodes.
const rateLimitCodes = new Set([-32005, -32007, -32016, -32029, 429]);
const unavailableCodes = new Set([-32002, -32011, -32603]);
/** Reasons after which a retry cannot help. */
export const timedOut = 'timed out';
export const circuitOpen = 'failed too often; requests are paused';
const networkCode = /^(E[A-Z]{3,}|UND_ERR_[A-Z_]+)$/;

/**
 * Describe in a few words why a call to a dependency got no usable response.
 *
 * @returns `undefined` when it did get a response (a revert and a refusal are responses), or when the error is no
 * failure of a dependency at all
 */
export function upstreamReason(error: unknown): string | undefined {
  if (isRangeRefusal(error)) return undefined;
  const response = findError(error, 'RpcRequestError');
  if (response) return reasonOfRpcError(response);
  for (const cause of walkCauses(error)) {
    const reason = reasonOfCause(cause);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

/** Whether a failed call never left this process: no connection was made, or the circuit breaker is open. */
export function isUnsent(error: unknown): boolean {
  return walkCauses(error).some(
    (cause) =>
      (isNamed<UpstreamFailure>(cause, 'UpstreamFailure') && cause.isUnsent) ||
      cause instanceof BrokenCircuitError ||
      ('syscall' in cause && (cause.syscall === 'connect' || cause.syscall === 'getaddrinfo')) ||
      ('code' in cause && cause.code === 'UND_ERR_CONNECT_TIMEOUT'),
  );
}

function reasonOfRpcError(response: RpcRequestError): string | undefined {
  const { code, data } = response;
  const message = messageOf(response);
  if (rateLimitCodes.has(code)) return 'rate limit exceeded';
  const isContractResult =
    typeof data === 'string' || /revert/i.test(message) || findAaCode(message) !== undefined;
  const isAboutCall = isContractResult || isOutOfGas(response) || isMissingState(response);
  return unavailableCodes.has(code) && !isAboutCall ? `JSON-RPC error ${code}` : undefined;
}

function reasonOfCause(cause: object): string | undefined {
  if (isNamed<UpstreamFailure>(cause, 'UpstreamFailure')) return cause.reason;
  if (isNamed(cause, 'TimeoutError') || cause instanceof TaskCancelledError) return timedOut;
  if (cause instanceof BrokenCircuitError) return circuitOpen;
  if (isNamed(cause, 'HttpRequestError'))
    return cause.status ? `HTTP status ${cause.status}` : networkReason(cause);
  if (isNamed(cause, 'WebSocketRequestError')) return 'connection failed';
  return hasNetworkCode(cause) ? `connection failed (${cause.code})` : undefined;
}

function networkReason(error: HttpRequestError): string {
  const causes = walkCauses(error);
  if (causes.some((cause) => cause instanceof SyntaxError)) return 'the response is not JSON';
  if (causes.some(isTooLong)) return 'the response is too long';
  const network = causes.find(hasNetworkCode);
  return network ? `connection failed (${network.code})` : 'connection failed';
}

/** Larger than `sendHttp` takes, or than zlib may write. */
const isTooLong = (cause: object) =>
  isNamed(cause, 'ResponseTooLongError') || ('code' in cause && cause.code === 'ERR_BUFFER_TOO_LARGE');

function hasNetworkCode(cause: object): cause is { readonly code: string } {
  return 'code' in cause && typeof cause.code === 'string' && networkCode.test(cause.code);
}
