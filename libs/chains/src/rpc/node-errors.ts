import { findError, isNamed, walkCauses } from '@yield-vault/protocol';
import { ExecutionRevertedError, isHex, type Hex } from 'viem';

/** The message of a node. viem passes on what the node sent: no message, or one that is no text. */
export const messageOf = ({ details }: { readonly details?: unknown }): string =>
  typeof details === 'string' ? details : '';

/** Recognise a reverted execution: every other node would return the same. */
export function isExecutionRevert(error: unknown): boolean {
  const response = findError(error, 'RpcRequestError');
  return (
    response !== undefined &&
    (response.code === ExecutionRevertedError.code ||
      ExecutionRevertedError.nodeMessage.test(messageOf(response)))
  );
}

/** Find the revert data in the cause chain of an error. */
export function revertDataOf(error: unknown): Hex | undefined {
  return walkCauses(error)
    .map((cause) => ('data' in cause ? cause.data : undefined))
    .find((data) => isHex(data));
}

/** Messages of Geth, Erigon, Nethermind, Reth, Besu and the large providers. */
const missingStateMessages = [
  /missing trie node/,
  /metadata is not found/,
  /layer stale/,
  /state .*(not |un)available/,
  /no (historical )?state/,
  /pruned/,
  /archive (state|data|node|request|mode)/,
];

/**
 * Recognise that a node lacks the state of an old block: no outage and no revert. The RPC client of a chain tries every
 * node before it throws such an error.
 */
export function isMissingState(error: unknown): boolean {
  const response = findError(error, 'RpcRequestError');
  return (
    response !== undefined &&
    missingStateMessages.some((message) => message.test(messageOf(response).toLowerCase()))
  );
}

// Anvil's words for a halt of a contract. The fatal one is a failure of the node.
const halt = /EVM error (?!Fatal)[A-Z]\w+$/;

/** Recognise that a call burnt all its gas or time, as every halt does: a result of the call, not an outage. */
export function isOutOfGas(error: unknown): boolean {
  const response = findError(error, 'RpcRequestError');
  const message = messageOf(response ?? {});
  return halt.test(message) || /out ?of ?gas|gas required exceeds|execution (aborted|timeout)/i.test(message);
}

// Refusals of Geth, Reth, Erigon and the large providers. Those of a rate limit name neither blocks nor results.
const rangeWordings = [
  /(block|log)s? (range|limit|distance)/,
  /range (of|is|exceed|threshold|too|allowed)|range: \d|smaller (range|than size)/,
  /too many (blocks|logs|results)|requested blocks|blocks? (exceed|greater|too)/,
  /[\d,.k]+ (blocks?|range|results|logs)\b|max results|logs matched/,
  /response size|(response|result|result set) (is )?too (large|big)|query (timeout|timed out)/,
];

/** A node that lags behind names the range, but its size is not the reason. */
const lagWordings = /beyond (the )?current head|header not found|unknown block|block not found/;

/** Recognise that a node lacks a block that others have. */
export function isLagging(error: unknown): boolean {
  return lagWordings.test(messageOf(findError(error, 'RpcRequestError') ?? {}).toLowerCase());
}

/** Recognise the words of a node that finds a range of logs too large, under whatever code or HTTP status. */
export function isRangeRefusal(error: unknown): boolean {
  if (isLagging(error)) return false;
  return walkCauses(error).some(
    (cause) =>
      (isNamed(cause, 'RpcRequestError') || isNamed(cause, 'HttpRequestError')) &&
      rangeWordings.some((wording) => wording.test(messageOf(cause).toLowerCase())),
  );
}
