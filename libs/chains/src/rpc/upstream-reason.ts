import { findAaCode } from '@yield-vault/protocol';
import { BrokenCircuitError, TaskCancelledError } from 'cockatiel';
import { HttpRequestError, RpcRequestError, TimeoutError, WebSocketRequestError } from 'viem';
import { isMissingState } from './is-missing-state.js';
import { isOutOfGas } from './is-out-of-gas.js';
import { UpstreamFailure } from './upstream-failure.js';
import { walkCauses } from './walk-causes.js';

// -32011 (no healthy backend) and -32016 are those of the proxy in front of public OP-stack nodes.
const rateLimitCodes = new Set([-32005, -32007, -32016, -32029, 429]);
const unavailableCodes = new Set([-32002, -32011, -32603]);
const networkCode = /^(E[A-Z]{3,}|UND_ERR_[A-Z_]+)$/;

/**
 * Say in a few words why a call to a dependency got no usable answer.
 *
 * @returns `undefined` when it did get an answer (a revert and a refusal are answers), or when the error is no
 * failure of a dependency at all
 */
export function upstreamReason(error: unknown): string | undefined {
  const chain = walkCauses(error);
  const answer = chain.find((cause) => cause instanceof RpcRequestError);
  if (answer) return reasonOfAnswer(answer);
  for (const cause of chain) {
    const reason = reasonOfCause(cause);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

function reasonOfAnswer(answer: RpcRequestError): string | undefined {
  const { code, data, details } = answer;
  if (rateLimitCodes.has(code)) return 'rate limit exceeded';
  const isVerdict = typeof data === 'string' || /revert/i.test(details) || findAaCode(details) !== undefined;
  const isAboutCall = isVerdict || isOutOfGas(answer) || isMissingState(answer);
  return unavailableCodes.has(code) && !isAboutCall ? `JSON-RPC error ${code}` : undefined;
}

function reasonOfCause(cause: object): string | undefined {
  if (cause instanceof UpstreamFailure) return cause.reason;
  if (cause instanceof TimeoutError || cause instanceof TaskCancelledError) return 'timed out';
  if (cause instanceof BrokenCircuitError) return 'failed too often and is given a pause';
  if (cause instanceof HttpRequestError)
    return cause.status ? `HTTP status ${cause.status}` : networkReason(cause);
  if (cause instanceof WebSocketRequestError) return 'connection failed';
  return hasNetworkCode(cause) ? `connection failed (${cause.code})` : undefined;
}

function networkReason(error: HttpRequestError): string {
  const causes = walkCauses(error);
  if (causes.some((cause) => cause instanceof SyntaxError)) return 'the answer is not JSON';
  const network = causes.find(hasNetworkCode);
  return network ? `connection failed (${network.code})` : 'connection failed';
}

function hasNetworkCode(cause: object): cause is { readonly code: string } {
  return 'code' in cause && typeof cause.code === 'string' && networkCode.test(cause.code);
}
