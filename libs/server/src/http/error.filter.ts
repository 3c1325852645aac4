import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { ErrorCode } from '@yield-vault/protocol';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { errorBody } from './error-body.js';
import { retryAfterSeconds } from './error-status.js';
import { isProbe, requestIdHeader, requestLogLevel } from './request.js';
import { toServiceError } from './to-service-error.js';

/** Sends every error of every route with the one error body. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  constructor(private readonly countError: (code: ErrorCode) => void) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    // The deadline was over before the handler failed.
    if (reply.sent) return;
    const error = toServiceError(thrown);
    const body = errorBody(error, request.id);
    const line = { code: body.code, detail: body.detail, statusCode: body.statusCode };
    const err = error.cause;
    if (body.code === 'INTERNAL') request.log.error({ ...line, err }, 'request failed');
    else if (body.statusCode < 500) request.log[requestLogLevel(request)](line, 'request refused');
    else request.log[isProbe(request) ? 'debug' : 'warn']({ ...line, err }, 'request failed');
    this.countError(body.code);

    // The hook that sets this header does not run where no path pattern matches, as with OPTIONS *.
    void reply.header(requestIdHeader, request.id);
    const retryAfter = retryAfterSeconds(error);
    if (retryAfter !== undefined) void reply.header('retry-after', String(retryAfter));
    void reply.code(body.statusCode).type('application/json; charset=utf-8').send(body);
  }
}
