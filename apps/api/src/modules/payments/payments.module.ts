import { Inject, Module, type DynamicModule } from '@nestjs/common';
import type { ActiveChains } from '@yield-vault/chains';
import type { Deployment } from '@yield-vault/deployment';
import type { Payments } from '@yield-vault/payments';
import { metricPrefix } from '@yield-vault/worker';
import { Parts } from '../../parts.js';
import { ServedDocument } from '../../openapi/served-document.js';
import { tokens } from '../../tokens.js';
import { measurePayments } from './measure-payments.js';
import { openPayments } from './open-payments.js';
import { PricesController } from './prices.controller.js';

/** Payments through x402. The app module registers their guard and interceptor, in order. */
@Module({})
export class PaymentsModule {
  static with({ payments }: Pick<Deployment, 'payments'>): DynamicModule {
    return {
      module: PaymentsModule,
      controllers: payments.mode === 'on' ? [PricesController] : [],
      providers: [
        ServedDocument,
        {
          provide: tokens.payments,
          inject: [Parts, tokens.walletChains, ServedDocument],
          useFactory: async (
            { settings, database, logger }: Parts,
            wallets: ActiveChains,
            { describe }: ServedDocument,
          ): Promise<Payments | null> =>
            (await openPayments(settings, wallets, database, logger, describe)) ?? null,
        },
      ],
      exports: [tokens.payments],
    };
  }

  constructor(@Inject(tokens.payments) payments: Payments | null, { metrics }: Parts) {
    if (payments) measurePayments(payments, metrics.registry, metricPrefix);
  }
}
