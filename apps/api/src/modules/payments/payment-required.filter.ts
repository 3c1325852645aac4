import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { PaymentChallenge } from '@yield-vault/payments';
import type { ErrorCode } from '@yield-vault/protocol';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** The caller must pay. An exception, because a guard can only replace the response through a filter. */
export class PaymentRequired extends Error {
  override readonly name = 'PaymentRequired';

  constructor(readonly challenge: PaymentChallenge) {
    super('Payment required');
  }
}

/** Sends 402 in the format of x402, which differs from the other errors. */
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
