import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import { UpstreamUnavailableError } from '@yield-vault/protocol';
import { throwError, timeout, type Observable } from 'rxjs';

/** No request outlives the deadline of the deployment. */
export class DeadlineInterceptor implements NestInterceptor {
  constructor(private readonly seconds: number) {}

  intercept(_context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const expired = () =>
      new UpstreamUnavailableError({
        detail: `The request did not finish within ${this.seconds} s.`,
        details: { dependency: 'request-deadline' },
      });
    return next.handle().pipe(timeout({ first: this.seconds * 1000, with: () => throwError(expired) }));
  }
}
