import { ApiError, IntentPendingError } from '../errors.js';
import { VerificationError } from '../verify/result.js';
import { CommandFailure, exitCodes } from './io.js';

const { refused, failed, pending, unavailable } = exitCodes;

const exitCodesByName: Readonly<Record<string, number>> = {
  VerificationError: refused,
  UnknownModulesError: refused,
  IntentFailedError: refused,
  FlowError: refused,
  IntentPendingError: pending,
  // A second setup has the same account nonce, so only one of them counts.
  SetupPendingError: unavailable,
  ServiceUnreachableError: unavailable,
  MalformedResponseError: unavailable,
  NodeFailedError: unavailable,
};

const nextActions: Readonly<Record<number, string>> = {
  [refused]: 'Sign nothing.',
  [failed]: 'Run the command with --help.',
  [pending]:
    'Do not repeat the command. Give the signed document of standard output to execute, or see intents and status.',
  [unavailable]: 'Run the same command again.',
};

type TextField = 'name' | 'message' | 'code' | 'reason' | 'detail' | 'shortMessage' | 'nextAction' | 'field';

/** Translate an error into an exit code and the fields of an error body. */
export function failureOf(error: unknown) {
  const fields = Object(error) as Partial<Record<TextField, string>> & { details?: unknown; expiry?: number };
  const {
    name = '',
    message,
    code,
    reason,
    detail,
    shortMessage,
    nextAction,
    details,
    field,
    expiry,
  } = fields;
  const exitCode = exitCodeOf(error, name);
  const { cause } = Object(error) as { cause?: unknown };
  const why = error instanceof IntentPendingError && cause instanceof ApiError ? `: ${cause.message}` : '';
  return {
    exitCode,
    body: {
      code: error instanceof VerificationError ? reason : (code ?? name),
      // The whole message of a node's error names its URL, which may carry a credential.
      detail: detail || shortMessage || `${message}${why}`,
      nextAction: nextAction || nextActions[exitCode],
      details: typeof details === 'object' ? details : { field, expiry },
    },
  };
}

function exitCodeOf(error: unknown, name: string): number {
  if (error instanceof CommandFailure) return error.exitCode;
  if (!(error instanceof ApiError)) return exitCodesByName[name] ?? failed;
  if (error.code === 'TRANSACTION_PENDING') return pending;
  return error.retryable || error.status >= 500 ? unavailable : refused;
}
