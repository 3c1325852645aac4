/** Bytes that are no list of executor hooks. */
export class MalformedHooksError extends Error {
  override readonly name = 'MalformedHooksError';
  readonly code = 'MALFORMED_HOOKS';
}

/** Call data that is not exactly one call of `runHooks` of our account. */
export class CallDataNotAllowedError extends Error {
  override readonly name = 'CallDataNotAllowedError';
  readonly code = 'CALLDATA_NOT_ALLOWED';
}

/** Bytes that are no intent signature. */
export class MalformedSignatureError extends Error {
  override readonly name = 'MalformedSignatureError';
  readonly code = 'MALFORMED_SIGNATURE';
}
