import {
  Inject,
  Injectable,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import type { Payments, PaymentSession } from '@yield-vault/payments';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { catchError, mergeMap, of, type Observable } from 'rxjs';
import { tokens } from '../../tokens.js';
import { PaymentRequired } from './payment-required.filter.js';
import { admissionOf } from './payment.guard.js';

const json = 'application/json; charset=utf-8';

/**
 * Settles the payment after the handler succeeded and before the response leaves. It must be the outermost interceptor:
 * a failure inside cancels the payment, and nothing may fail after the settlement.
 */
@Injectable()
export class PaymentInterceptor implements NestInterceptor {
  constructor(@Inject(tokens.payments) private readonly payments: Payments | null) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    const admission = admissionOf(http.getRequest<FastifyRequest>());
    if (!this.payments || !admission) return next.handle();
    const reply = http.getResponse<FastifyReply>();
    if (admission.kind === 'answered') {
      const { response, headers } = admission;
      void reply.code(response.status).headers(headers).type(response.contentType);
      return of(Buffer.from(response.body));
    }
    return this.#settleAfter(this.payments, admission.session, next, reply);
  }

  #settleAfter(
    payments: Payments,
    session: PaymentSession,
    next: CallHandler,
    reply: FastifyReply,
  ): Observable<unknown> {
    // Has no effect on a settling payment; the same request continues that one.
    const cancel = async (error: unknown): Promise<never> => {
      await payments.cancel(session);
      throw error;
    };
    const settle = async (value: unknown): Promise<unknown> => {
      const body = Buffer.isBuffer(value) ? value : Buffer.from(JSON.stringify(value));
      // The client disconnected, or got the response of the deadline, so nothing is charged.
      if (reply.sent || reply.raw.destroyed || reply.request.raw.socket.destroyed) {
        await payments.cancel(session);
        return body;
      }
      const settled = await payments.settle(session, { status: reply.statusCode, contentType: json, body });
      if (settled.kind === 'required') throw new PaymentRequired(settled.challenge);
      void reply.headers(settled.headers).type(json);
      return body;
    };
    return next.handle().pipe(mergeMap(settle), catchError(cancel));
  }
}
