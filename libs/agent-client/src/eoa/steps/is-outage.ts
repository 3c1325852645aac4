import { BaseError, HttpRequestError, TimeoutError, WebSocketRequestError } from 'viem';

/** Whether an error says that the node could not be asked, rather than what it answered. */
export function isOutage(error: unknown): boolean {
  return error instanceof BaseError && error.walk(isTransportError) !== null;
}

function isTransportError(cause: unknown): boolean {
  return [HttpRequestError, TimeoutError, WebSocketRequestError].some((kind) => cause instanceof kind);
}
