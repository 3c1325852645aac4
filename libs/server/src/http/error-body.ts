import type { ErrorResponse, ServiceError } from '@yield-vault/protocol';
import { statusOf } from './error-status.js';

// A response and its log line must not grow with the request.
const maximumText = 1_000;

const shorten = (text: string) => (text.length > maximumText ? `${text.slice(0, maximumText)}…` : text);

/** Shorten every text of a JSON value as an error body does. */
export const shortenTexts = <T>(json: T) =>
  JSON.parse(
    JSON.stringify(json, (_, value: unknown) => (typeof value === 'string' ? shorten(value) : value)),
  ) as T;

/** Build the response body of an error. */
export function errorBody(error: ServiceError, requestId: string): ErrorResponse {
  const { message, code, detail, retryable, nextAction, details } = error;
  return {
    statusCode: statusOf(error),
    error: message,
    code,
    detail: shorten(detail),
    retryable,
    nextAction,
    details: shortenTexts(details),
    requestId,
  };
}
