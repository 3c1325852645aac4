import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import { InvalidParametersError, type Json } from '@yield-vault/protocol';
import { catchError, type Observable } from 'rxjs';
import { RpcRequestError } from 'viem';

/** Passes JSON-RPC errors of the fork on to the caller, in `details.rpcError`. */
export class RefusedCallInterceptor implements NestInterceptor {
  intercept(_context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return next.handle().pipe(
      catchError((error: unknown) => {
        throw error instanceof RpcRequestError ? asRefusal(error) : error;
      }),
    );
  }
}

function asRefusal({ code, details: message, data }: RpcRequestError): InvalidParametersError {
  return new InvalidParametersError({
    detail: `The fork refused the call: ${message}`,
    details: { rpcError: { code, message, ...(data !== undefined && { data: data as Json }) } },
  });
}
