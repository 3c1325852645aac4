import {
  Inject,
  Injectable,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import type { PaymentSession } from '@yield-vault/payments';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { catchError, mergeMap, of, type Observable } from 'rxjs';
import type { PaymentsPort } from '../../ports.js';
import { tokens } from '../../tokens.js';
import { admissionOf } from './admission.js';
import { PaymentRequired } from './payment-required.js';

const json = 'application/json; charset=utf-8';

/**
 * Charges for an answer before it leaves. It has to be the outermost one: what fails inside is not charged, and nothing
 * may change or fail after it.
 */
@Injectable()
export class PaymentInterceptor implements NestInterceptor {
  constructor(@Inject(tokens.payments) private readonly payments: PaymentsPort | null) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    const admission = admissionOf(http.getRequest<FastifyRequest>());
    if (!this.payments || !admission) return next.handle();
    const reply = http.getResponse<FastifyReply>();
    if (admission.kind === 'answered') {
      const { answer, headers } = admission;
      void reply.code(answer.status).headers(headers).type(answer.contentType);
      return of(Buffer.from(answer.body));
    }
    return this.#sell(this.payments, admission.session, next, reply);
  }

  #sell(
    payments: PaymentsPort,
    session: PaymentSession,
    next: CallHandler,
    reply: FastifyReply,
  ): Observable<unknown> {
    // Without effect on a payment that is settling: the same request finds out what became of it.
    const giveBack = async (error: unknown): Promise<never> => {
      await payments.cancel(session);
      throw error;
    };
    const charge = async (value: unknown): Promise<unknown> => {
      const body = Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));
      // Nobody is there any more to be given what would be charged for.
      if (reply.raw.destroyed || reply.request.raw.socket.destroyed) {
        await payments.cancel(session);
        return body;
      }
      const settled = await payments.settle(session, { status: reply.statusCode, contentType: json, body });
      if (settled.kind === 'required') throw new PaymentRequired(settled.challenge);
      void reply.headers(settled.headers).type(json);
      return body;
    };
    return next.handle().pipe(mergeMap(charge), catchError(giveBack));
  }
}
