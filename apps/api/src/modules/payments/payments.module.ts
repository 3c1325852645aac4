import { Global, Module, type DynamicModule } from '@nestjs/common';
import type { ActiveChains } from '@yield-vault/chains';
import type { DatabaseHandle } from '@yield-vault/database';
import type { Deployment } from '@yield-vault/deployment';
import type { Logger } from 'pino';
import type { PaymentsPort } from '../../ports.js';
import { tokens } from '../../tokens.js';
import { openPayments } from './open-payments.js';
import { PricesController } from './prices.controller.js';

/** Payments through x402. The app module registers their guard and interceptor, in order. */
@Global()
@Module({})
export class PaymentsModule {
  static with({ payments }: Pick<Deployment, 'payments'>): DynamicModule {
    return {
      module: PaymentsModule,
      controllers: payments.mode === 'on' ? [PricesController] : [],
      providers: [
        {
          provide: tokens.payments,
          inject: [tokens.settings, tokens.wallets, tokens.database, tokens.logger],
          useFactory: async (
            settings: Deployment,
            wallets: ActiveChains,
            database: DatabaseHandle,
            logger: Logger,
          ): Promise<PaymentsPort | null> =>
            (await openPayments(settings, wallets, database, logger)) ?? null,
        },
      ],
      exports: [tokens.payments],
    };
  }
}
