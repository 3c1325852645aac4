import { Global, Inject, Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { createActiveChains } from '@yield-vault/chains';
import { endWithin, measureDatabase } from '@yield-vault/server';
import { metricPrefix, openChainEvents } from '@yield-vault/worker';
import { createLimiterStorage, type LimiterStorage } from '../http/create-limiter-storage.js';
import { Parts } from '../parts.js';
import { tokens } from '../tokens.js';

/** Parts that features share: those of the process, chains, and counters of rate limits. */
@Global()
@Module({})
export class InfrastructureModule implements OnApplicationShutdown {
  static with(parts: Parts): DynamicModule {
    return {
      module: InfrastructureModule,
      providers: [
        { provide: Parts, useValue: parts },
        {
          provide: tokens.limiterStorage,
          useFactory: () => createLimiterStorage(parts.settings.rateLimits, parts.logger),
        },
        // The real chains, which discovery reads. `tokens.walletChains` replaces some of them by managed forks.
        {
          provide: tokens.chains,
          useFactory: () => createActiveChains(parts.settings, { observer: parts.observer }),
        },
        {
          provide: tokens.events,
          useFactory: () => openChainEvents(parts.settings, { ...parts, metrics: parts.metrics.registry }),
        },
      ],
      exports: [Parts, tokens.limiterStorage, tokens.chains, tokens.events],
    };
  }

  constructor(
    private readonly parts: Parts,
    @Inject(tokens.limiterStorage) private readonly limiterStorage: LimiterStorage,
  ) {
    measureDatabase(parts.database, parts.metrics.registry, metricPrefix);
  }

  /** Runs after every other module has ended. */
  async onApplicationShutdown(): Promise<void> {
    const { database, logger, timings } = this.parts;
    await endWithin(timings.closeDeadlineMs, database.close(), logger, 'the database did not close in time');
    await this.limiterStorage.close();
  }
}
