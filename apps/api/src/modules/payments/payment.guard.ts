import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { BeginResult, Payments } from '@yield-vault/payments';
import { rawBodyOf } from '@yield-vault/server';
import type { FastifyRequest } from 'fastify';
import { tokens } from '../../tokens.js';
import { PaymentRequired } from './payment-required.filter.js';
import { clientOf } from '../../http/client.js';
import { accessKeyHeader, Priced } from '../../http/priced.decorator.js';

/** The guard's result for a paid request. */
export type Admission = Extract<BeginResult, { kind: 'reserved' | 'answered' }>;

const admissions = new WeakMap<FastifyRequest, Admission>();

/** Read the admission of a request; undefined for a free one. */
export const admissionOf = (request: FastifyRequest): Admission | undefined => admissions.get(request);

/** Admits requests for priced routes: free ones, and ones with a valid payment. The interceptor settles the payment. */
@Injectable()
export class PaymentGuard implements CanActivate {
  constructor(
    @Inject(tokens.payments) private readonly payments: Payments | null,
    private readonly reflector: Reflector,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    if (!this.payments) return true;
    const resource = this.reflector.getAllAndOverride(Priced, [context.getHandler(), context.getClass()]);
    return resource === undefined || this.#admit(this.payments, resource, context);
  }

  async #admit(payments: Payments, resource: string, context: ExecutionContext): Promise<true> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const header = (name: string) => request.headers[name.toLowerCase()]?.toString();
    const result = await payments.begin({
      resource,
      method: request.method,
      path: request.url,
      body: rawBodyOf(request),
      // A HEAD brings no body, so it takes no payment.
      header: request.method === 'HEAD' ? () => undefined : header,
      requestId: request.id,
      client: clientOf(request),
      accessKey: header(accessKeyHeader),
    });
    if (result.kind === 'required') throw new PaymentRequired(result.challenge);
    if (result.kind !== 'free') admissions.set(request, result);
    return true;
  }
}
