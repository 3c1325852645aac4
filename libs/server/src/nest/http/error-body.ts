import type { ErrorCode, Json, ServiceError } from '@yield-vault/protocol';
import { statusOf } from './error-status.js';

/** The body of every error answer. */
export interface ErrorBody {
  readonly statusCode: number;
  readonly error: string;
  readonly code: ErrorCode;
  readonly detail: string;
  readonly retryable: boolean;
  readonly nextAction: string;
  readonly details: Readonly<Record<string, Json>>;
  readonly requestId: string;
}

// An answer, and the log line of it, must not grow with what the caller sent.
const maximumText = 1_000;

const shorten = (text: string) => (text.length > maximumText ? `${text.slice(0, maximumText)}…` : text);

// Array.isArray does not narrow read-only lists.
const isList = (json: object): json is readonly Json[] => Array.isArray(json);

const shortenFields = (fields: Readonly<Record<string, Json>>) =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, shortenTexts(value)]));

function shortenTexts(json: Json): Json {
  if (typeof json === 'string') return shorten(json);
  if (typeof json !== 'object' || json === null) return json;
  return isList(json) ? json.map(shortenTexts) : shortenFields(json);
}

/** Build the answer to one occurrence of an error. */
export function errorBody(error: ServiceError, requestId: string): ErrorBody {
  const { message, code, detail, retryable, nextAction, details } = error;
  return {
    statusCode: statusOf(error),
    error: message,
    code,
    detail: shorten(detail),
    retryable,
    nextAction,
    details: shortenFields(details),
    requestId,
  };
}
