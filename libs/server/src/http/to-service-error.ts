import { HttpException } from '@nestjs/common';
import {
  BodyTooLargeError,
  InternalError,
  InvalidParametersError,
  NotFoundError,
  RateLimitExceededError,
  ServiceError,
  UnauthorizedError,
  UnsupportedMediaTypeError,
  type ServiceErrorOptions,
} from '@yield-vault/protocol';
import type { FastifyError } from 'fastify';

/** Errors of the caller by HTTP status; any other is INVALID_PARAMETERS. */
const callerErrors: Readonly<Record<number, new (options: ServiceErrorOptions) => ServiceError>> = {
  401: UnauthorizedError,
  404: NotFoundError,
  413: BodyTooLargeError,
  415: UnsupportedMediaTypeError,
  429: RateLimitExceededError,
};

/** Turn anything thrown into an error of the interface. An unexpected error gets a fixed text; its cause goes to the log only. */
export function toServiceError(thrown: unknown): ServiceError {
  if (thrown instanceof ServiceError) return thrown;
  // NestJS wraps the errors of Fastify.
  const error = thrown instanceof HttpException && thrown.cause !== undefined ? thrown.cause : thrown;
  const { code, statusCode = 500 } = (error instanceof Error ? error : {}) as Partial<FastifyError>;
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    return new UnsupportedMediaTypeError({ detail: 'The Content-Type header is not valid.', cause: error });
  }
  if (code === 'FST_ERR_BAD_URL' || code === 'FST_ERR_MAX_PARAM_LENGTH') {
    return new NotFoundError({ detail: 'The URL is not valid.', cause: error });
  }
  if (error instanceof HttpException && error.getStatus() < 500) {
    const CallerError = callerErrors[error.getStatus()] ?? InvalidParametersError;
    return new CallerError({ detail: error.message, cause: error });
  }
  // Fastify rejected the request before any route ran.
  if (String(code).startsWith('FST_ERR_') && statusCode >= 400 && statusCode < 500) {
    return new InvalidParametersError({
      detail: 'The request could not be read.',
      details: { violations: [{ field: 'body', message: 'body could not be read.' }] },
      cause: error,
    });
  }
  return new InternalError({ detail: 'The request failed unexpectedly.', cause: error });
}
