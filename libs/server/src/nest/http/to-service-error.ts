import { HttpException } from '@nestjs/common';
import {
  InternalError,
  InvalidParametersError,
  NotFoundError,
  ServiceError,
  UnsupportedMediaTypeError,
} from '@yield-vault/protocol';

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

const statusCodeOf = (error: unknown): number =>
  error instanceof Error && 'statusCode' in error && typeof error.statusCode === 'number'
    ? error.statusCode
    : 500;

/** Whether Fastify refused the request itself, before any route ran. */
const isFastifyRefusal = (error: unknown): boolean =>
  codeOf(error).startsWith('FST_ERR_') && statusCodeOf(error) >= 400 && statusCodeOf(error) < 500;

/**
 * Turn anything thrown into an error of the interface. What nobody foresaw becomes a fixed text; its cause is
 * for the log only.
 */
export function toServiceError(thrown: unknown): ServiceError {
  if (thrown instanceof ServiceError) return thrown;
  // NestJS wraps what Fastify refuses.
  const error = thrown instanceof HttpException && thrown.cause !== undefined ? thrown.cause : thrown;
  if (codeOf(error) === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    return new UnsupportedMediaTypeError({ detail: 'The Content-Type header is not valid.', cause: error });
  }
  if (codeOf(error) === 'FST_ERR_BAD_URL' || codeOf(error) === 'FST_ERR_MAX_PARAM_LENGTH') {
    return new NotFoundError({ detail: 'The URL is not valid.', cause: error });
  }
  if (error instanceof HttpException && error.getStatus() === 404) {
    return new NotFoundError({ detail: 'No route has this path and method.', cause: error });
  }
  if (isFastifyRefusal(error)) {
    const message = 'could not be read';
    return new InvalidParametersError({
      detail: 'The request could not be read.',
      details: { violations: [{ field: 'body', message }] },
      cause: error,
    });
  }
  return new InternalError({ detail: 'The request failed unexpectedly.', cause: error });
}
