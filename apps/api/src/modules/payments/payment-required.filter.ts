import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { ErrorCode } from '@yield-vault/protocol';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { PaymentRequired } from './payment-required.js';

/** Answers 402 in the words of x402, which are not those of the other errors. */
@Catch(PaymentRequired)
export class PaymentRequiredFilter implements ExceptionFilter<PaymentRequired> {
  constructor(private readonly countError: (code: ErrorCode) => void) {}

  catch({ challenge: { headers, body } }: PaymentRequired, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    http.getRequest<FastifyRequest>().log.info({ code: body.code, statusCode: 402 }, 'payment required');
    this.countError(body.code);
    void http
      .getResponse<FastifyReply>()
      .code(402)
      .headers(headers)
      .type('application/json; charset=utf-8')
      .send(body);
  }
}
