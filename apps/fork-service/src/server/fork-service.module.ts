import { All, Controller, Module, type DynamicModule, type Provider } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_PIPE } from '@nestjs/core';
import { ApiExcludeController } from '@nestjs/swagger';
import type { ForkProvider } from '@yield-vault/forks';
import { NotFoundError } from '@yield-vault/protocol';
import { ErrorFilter, PostQueryGuard, StrictInputPipe, type HttpMetrics } from '@yield-vault/server';
import { CredentialGuard, Public } from '../auth/credential.guard.js';
import type { ForkRegistry } from '../forks/create-fork-registry.js';
import { ForkControlController } from '../modules/forks/fork-control.controller.js';
import { ForksController } from '../modules/forks/forks.controller.js';
import { RpcController } from '../modules/rpc/rpc.controller.js';
import { ServiceController } from '../modules/service/service.controller.js';
import type { RpcRoute } from '../modules/rpc/create-rpc-route.js';
import { tokens } from '../tokens.js';

/** Handles requests that match no route. */
@Public()
@ApiExcludeController()
@Controller()
class NotFoundController {
  @All('*')
  refuse(): never {
    throw new NotFoundError({ detail: 'No route has this path and method.' });
  }
}

/** Values that are built before NestJS and injected into it. */
export interface Injected {
  readonly registry: ForkRegistry;
  readonly rpc: RpcRoute;
  readonly health: Pick<ForkProvider, 'health'>;
  readonly metrics: HttpMetrics;
  readonly credential: string;
}

/** The only module of the service: routes, guards in order, pipe and filter. */
@Module({})
export class ForkServiceModule {
  static with(injected: Injected): DynamicModule {
    const values = Object.entries(tokens).map(([name, provide]): Provider => ({
      provide,
      useValue: injected[name as keyof typeof tokens],
    }));
    return {
      module: ForkServiceModule,
      controllers: [
        ForksController,
        ForkControlController,
        RpcController,
        ServiceController,
        NotFoundController,
      ],
      providers: [
        ...values,
        { provide: APP_GUARD, useClass: CredentialGuard },
        { provide: APP_GUARD, useClass: PostQueryGuard },
        { provide: APP_PIPE, useClass: StrictInputPipe },
        { provide: APP_FILTER, useValue: new ErrorFilter(injected.metrics.countError) },
      ],
    };
  }
}
