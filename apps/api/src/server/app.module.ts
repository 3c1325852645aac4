import { Module, type DynamicModule, type Provider, type Type } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';
import { ThrottlerModule } from '@nestjs/throttler';
import {
  DeadlineInterceptor,
  ErrorFilter,
  NoQueryGuard,
  StrictInputPipe,
  type HttpMetrics,
} from '@yield-vault/server';
import type { Logger } from 'pino';
import type { HealthMonitor } from '../health/create-health-monitor.js';
import { DiscoveryController } from '../modules/discovery/discovery.controller.js';
import { VaultsController } from '../modules/discovery/vaults.controller.js';
import { IntentsController } from '../modules/intents/intents.controller.js';
import { PaymentGuard } from '../modules/payments/payment.guard.js';
import { PaymentInterceptor } from '../modules/payments/payment.interceptor.js';
import { PaymentRequiredFilter } from '../modules/payments/payment-required.filter.js';
import { PricesController } from '../modules/payments/prices.controller.js';
import { PortfolioController } from '../modules/portfolio/portfolio.controller.js';
import { RelayController } from '../modules/relay/relay.controller.js';
import { ServiceController } from '../modules/service/service.controller.js';
import { TestingController } from '../modules/testing/testing.controller.js';
import type { Features } from '../ports.js';
import type { ServerSettings } from '../settings.js';
import type { LimiterStorage } from '../throttling/create-limiter-storage.js';
import { RateLimitGuard } from '../throttling/rate-limit.guard.js';
import { throttlerOptions } from '../throttling/throttler-options.js';
import { tokens } from '../tokens.js';
import { NotFoundController } from './not-found.controller.js';

/** Everything that is built before NestJS and injected into it. */
export interface Injected extends Features {
  readonly settings: ServerSettings;
  readonly logger: Logger;
  readonly health: HealthMonitor;
  readonly metrics: HttpMetrics;
}

type Served = Pick<ServerSettings, 'testing' | 'payments'>;

/** The routes; the last one answers whatever the others leave. */
const controllersOf = ({ testing, payments }: Served, added: readonly Type[] = []): Type[] => [
  DiscoveryController,
  VaultsController,
  IntentsController,
  RelayController,
  PortfolioController,
  ...(testing.enabled ? [TestingController] : []),
  ...(payments.mode === 'on' ? [PricesController] : []),
  ServiceController,
  ...added,
  NotFoundController,
];

/** The one module of the server: routes, guards in their order, pipe and filter. */
@Module({})
export class AppModule {
  static with(injected: Injected, storage: LimiterStorage, added?: readonly Type[]): DynamicModule {
    const values = Object.entries(tokens).map(([name, provide]): Provider => ({
      provide,
      useValue: injected[name as keyof typeof tokens],
    }));
    const { server } = injected.settings;
    return {
      module: AppModule,
      global: true,
      imports: [ThrottlerModule.forRoot(throttlerOptions(injected.settings.rateLimits, storage))],
      controllers: controllersOf(injected.settings, added),
      providers: [
        ...values,
        { provide: APP_GUARD, useClass: RateLimitGuard },
        { provide: APP_GUARD, useClass: NoQueryGuard },
        { provide: APP_GUARD, useClass: PaymentGuard },
        { provide: APP_INTERCEPTOR, useClass: PaymentInterceptor },
        { provide: APP_INTERCEPTOR, useValue: new DeadlineInterceptor(server.requestTimeoutSeconds) },
        { provide: APP_PIPE, useClass: StrictInputPipe },
        { provide: APP_FILTER, useValue: new ErrorFilter(injected.metrics.countError) },
        // Of two filters that fit, the later one is asked.
        { provide: APP_FILTER, useValue: new PaymentRequiredFilter(injected.metrics.countError) },
      ],
    };
  }

  /** Every route without anything behind it. */
  static forDocument(): DynamicModule {
    const nothing = Object.values(tokens).map((provide): Provider => ({ provide, useValue: null }));
    const controllers = controllersOf({ testing: { enabled: true }, payments: { mode: 'on' } });
    return { module: AppModule, controllers, providers: nothing };
  }
}
