import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { normalizeIp } from '@nestjs/throttler';
import { rawBodyOf } from '@yield-vault/server';
import type { FastifyRequest } from 'fastify';
import type { PaymentsPort } from '../../ports.js';
import { tokens } from '../../tokens.js';
import { admit } from './admission.js';
import { PaymentRequired } from './payment-required.js';
import { accessKeyHeader, pricedMetadata } from './priced.decorator.js';

/** Lets a request for a priced route through that is paid for, or free; the interceptor charges it. */
@Injectable()
export class PaymentGuard implements CanActivate {
  constructor(
    @Inject(tokens.payments) private readonly payments: PaymentsPort | null,
    private readonly reflector: Reflector,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const resource = this.reflector.get<string | undefined>(pricedMetadata, context.getHandler());
    if (!this.payments || resource === undefined) return true;
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const header = (name: string) => request.headers[name.toLowerCase()]?.toString();
    const verdict = await this.payments.begin({
      ...{ resource, method: request.method, path: request.url, body: rawBodyOf(request) },
      ...{
        header,
        requestId: request.id,
        client: normalizeIp(request.ip),
        accessKey: header(accessKeyHeader),
      },
    });
    if (verdict.kind === 'required') throw new PaymentRequired(verdict.challenge);
    if (verdict.kind !== 'free') admit(request, verdict);
    return true;
  }
}
