import { Module, type DynamicModule, type Type } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';
import { ThrottlerModule } from '@nestjs/throttler';
import { ErrorFilter, PostQueryGuard, StrictInputPipe } from '@yield-vault/server';
import { CapacityGuard } from './http/capacity.guard.js';
import { windowSeconds, type LimiterStorage } from './http/create-limiter-storage.js';
import { NotFoundController } from './http/not-found.controller.js';
import { RateLimitGuard } from './http/rate-limit.guard.js';
import { InfrastructureModule } from './infrastructure/infrastructure.module.js';
import type { Parts } from './parts.js';
import { WorkerModule } from './infrastructure/worker.module.js';
import { DiscoveryModule } from './modules/discovery/discovery.module.js';
import { ExecutionModule } from './modules/execution/execution.module.js';
import { HealthModule } from './modules/health/health.module.js';
import { PrepareModule } from './modules/prepare/prepare.module.js';
import { PaymentGuard } from './modules/payments/payment.guard.js';
import { PaymentInterceptor } from './modules/payments/payment.interceptor.js';
import { PaymentRequiredFilter } from './modules/payments/payment-required.filter.js';
import { PaymentsModule } from './modules/payments/payments.module.js';
import { PortfolioModule } from './modules/portfolio/portfolio.module.js';
import { QuotesModule } from './modules/quotes/quotes.module.js';
import { SetupModule } from './modules/setup/setup.module.js';
import { TestingModule } from './modules/testing/testing.module.js';
import { WalletsModule } from './modules/wallets/wallets.module.js';
import { tokens } from './tokens.js';

/** One module for each resource, and what every request passes: guards in their order, interceptors, pipe, filters. */
@Module({})
export class AppModule {
  /** @param added - controllers to serve beside those of the deployment */
  static with(parts: Parts, added: readonly Type[] = []): DynamicModule {
    const { settings, metrics } = parts;
    const { countError } = metrics;
    return {
      module: AppModule,
      imports: [
        InfrastructureModule.with(parts),
        ThrottlerModule.forRootAsync({
          inject: [tokens.limiterStorage],
          // The guard takes the limit from the settings, by route group.
          useFactory: (storage: LimiterStorage) => ({
            storage,
            throttlers: [{ ttl: windowSeconds * 1000, limit: 0 }],
          }),
        }),
        WalletsModule,
        DiscoveryModule,
        QuotesModule,
        PrepareModule,
        ExecutionModule,
        SetupModule,
        PortfolioModule,
        TestingModule.with(settings),
        PaymentsModule.with(settings),
        HealthModule.with(settings),
        WorkerModule,
      ],
      controllers: [...added, NotFoundController],
      providers: [
        RateLimitGuard,
        { provide: APP_GUARD, useExisting: RateLimitGuard },
        { provide: APP_GUARD, useClass: CapacityGuard },
        { provide: APP_GUARD, useClass: PostQueryGuard },
        { provide: APP_GUARD, useClass: PaymentGuard },
        // Any interceptor slows down every request, and this one has no task where payments are off.
        ...(settings.payments.mode === 'on'
          ? [{ provide: APP_INTERCEPTOR, useClass: PaymentInterceptor }]
          : []),
        { provide: APP_PIPE, useClass: StrictInputPipe },
        { provide: APP_FILTER, useValue: new ErrorFilter(countError) },
        // Where two filters fit, Nest takes the later one.
        { provide: APP_FILTER, useValue: new PaymentRequiredFilter(countError) },
      ],
    };
  }
}
