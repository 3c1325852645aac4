import {
  Global,
  Inject,
  Module,
  type BeforeApplicationShutdown,
  type DynamicModule,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import type { ActiveChains } from '@yield-vault/chains';
import { createLeadership, type Leadership } from '@yield-vault/database';
import type { DatabaseHandle } from '@yield-vault/protocol/database';
import type { Deployment } from '@yield-vault/deployment';
import type { Logger } from 'pino';
import { metricPrefix, type Parts } from '../../infrastructure/infrastructure.module.js';
import { repeat, type Timings } from '../../infrastructure/lifecycle.js';
import type { PaymentsPort } from '../../ports.js';
import { ServedDocument } from '../../openapi/served-document.js';
import { tokens } from '../../tokens.js';
import { measurePayments } from './measure-payments.js';
import { openPayments } from './open-payments.js';
import { PricesController } from './prices.controller.js';

/** Payments through x402, and their sweeper. The app module registers their guard and interceptor, in order. */
@Global()
@Module({})
export class PaymentsModule implements OnApplicationBootstrap, BeforeApplicationShutdown {
  static with({ payments }: Pick<Deployment, 'payments'>): DynamicModule {
    return {
      module: PaymentsModule,
      controllers: payments.mode === 'on' ? [PricesController] : [],
      providers: [
        ServedDocument,
        {
          provide: tokens.payments,
          inject: [tokens.settings, tokens.wallets, tokens.database, tokens.logger, ServedDocument],
          useFactory: async (
            settings: Deployment,
            wallets: ActiveChains,
            database: DatabaseHandle,
            logger: Logger,
            document: ServedDocument,
          ): Promise<PaymentsPort | null> =>
            (await openPayments(settings, wallets, database, logger, document.describe)) ?? null,
        },
      ],
      exports: [tokens.payments],
    };
  }

  readonly #leadership: Leadership;

  constructor(
    @Inject(tokens.payments) private readonly payments: PaymentsPort | null,
    @Inject(tokens.database) database: Pick<DatabaseHandle, 'openSession'>,
    @Inject(tokens.logger) private readonly logger: Logger,
    @Inject(tokens.timings) private readonly timings: Timings,
    @Inject(tokens.metrics) private readonly metrics: Parts['metrics'],
  ) {
    this.#leadership = createLeadership(database, 'payments', {
      onError: (err) => logger.warn({ err }, 'no process can be elected to sweep payments'),
    });
  }

  onApplicationBootstrap(): void {
    const { payments, metrics } = this;
    if (!payments) return;
    const count = measurePayments(payments, metrics.registry, metricPrefix);
    void this.#leadership.lead((signal) => {
      const sweep = () =>
        payments.sweep().then(
          () => count('succeeded'),
          (err: unknown) => {
            if (signal.aborted) return;
            count('failed');
            this.logger.error({ err }, 'the payment sweeper failed: the next attempt follows');
          },
        );
      return repeat(sweep, this.timings.sweepIntervalMs, signal);
    });
  }

  beforeApplicationShutdown(): void {
    void this.#leadership.stop();
  }
}
