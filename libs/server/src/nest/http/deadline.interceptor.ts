import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import { UpstreamUnavailableError } from '@yield-vault/protocol';
import { Observable } from 'rxjs';

/** No request outlives the deadline of the deployment. */
export class DeadlineInterceptor implements NestInterceptor {
  constructor(private readonly seconds: number) {}

  intercept(_context: ExecutionContext, next: CallHandler): Observable<unknown> {
    // The operator `timeout` takes several times as long to start and clear its timer.
    return new Observable((subscriber) => {
      const expire = () =>
        subscriber.error(
          new UpstreamUnavailableError({
            detail: `The request did not finish within ${this.seconds} s.`,
            details: { dependency: 'request-deadline' },
          }),
        );
      const timer = setTimeout(expire, this.seconds * 1000);
      subscriber.add(() => clearTimeout(timer));
      subscriber.add(next.handle().subscribe(subscriber));
    });
  }
}
