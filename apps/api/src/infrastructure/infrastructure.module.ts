import { Global, Inject, Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import {
  createActiveChains,
  createContractCheck,
  type ActiveChains,
  type UpstreamObserver,
} from '@yield-vault/chains';
import type { Deployment } from '@yield-vault/deployment';
import type { NewestBlock } from '@yield-vault/forks';
import type { HttpMetrics } from '@yield-vault/server';
import type { RegistryEntry } from '@yield-vault/vault-discovery';
import type { Logger } from 'pino';
import type { DatabasePort } from '../ports.js';
import { createLimiterStorage, type LimiterStorage } from '../http/create-limiter-storage.js';
import { tokens } from '../tokens.js';
import { defaultTimings, endWithin, type Timings } from './lifecycle.js';
import { measureDatabase, measureUpstreams } from './measure-infrastructure.js';

/** Starts the name of every metric. */
export const metricPrefix = 'yield_vault_';

/** The newest block of each chain, as the health probe saw it. Simulations use it instead of another request. */
export type NewestBlocks = Map<string, NewestBlock>;

/** Everything that the process passes to its modules. */
export interface Parts {
  readonly settings: Deployment;
  /** Vaults to watch. */
  readonly registry: readonly RegistryEntry[];
  readonly logger: Logger;
  readonly database: DatabasePort;
  readonly metrics: HttpMetrics;
}

/** Parts that features share: settings, log, metrics, database, chains, counters of rate limits. */
@Global()
@Module({})
export class InfrastructureModule implements OnApplicationShutdown {
  static with(parts: Parts): DynamicModule {
    const values = (['settings', 'registry', 'logger', 'metrics', 'database'] as const).map((name) => ({
      provide: tokens[name],
      useValue: parts[name],
    }));
    return {
      module: InfrastructureModule,
      providers: [
        ...values,
        { provide: tokens.timings, useValue: defaultTimings },
        {
          provide: tokens.upstreams,
          useFactory: () => measureUpstreams(parts.metrics.registry, metricPrefix),
        },
        { provide: tokens.newestBlocks, useFactory: (): NewestBlocks => new Map() },
        {
          provide: tokens.limiterStorage,
          inject: [tokens.settings, tokens.logger],
          useFactory: ({ rateLimits }: Deployment, logger: Logger) =>
            createLimiterStorage(rateLimits, logger),
        },
        // The real chains, which discovery reads. `tokens.wallets` replaces some of them by managed forks.
        {
          provide: tokens.chains,
          inject: [tokens.settings, tokens.upstreams],
          useFactory: (settings: Deployment, observer: UpstreamObserver) =>
            createActiveChains(settings, { observer }),
        },
        {
          // Wallets need the contracts on the chains that they use.
          provide: tokens.contractCheck,
          inject: [tokens.wallets, tokens.logger],
          useFactory: (wallets: ActiveChains, logger: Logger) => createContractCheck(wallets, logger),
        },
      ],
      exports: [
        ...values.map(({ provide }) => provide),
        tokens.timings,
        tokens.limiterStorage,
        tokens.upstreams,
        tokens.chains,
        tokens.newestBlocks,
        tokens.contractCheck,
      ],
    };
  }

  constructor(
    @Inject(tokens.database) private readonly database: DatabasePort,
    @Inject(tokens.limiterStorage) private readonly limiterStorage: LimiterStorage,
    @Inject(tokens.logger) private readonly logger: Logger,
    @Inject(tokens.timings) private readonly timings: Timings,
    @Inject(tokens.metrics) { registry }: Parts['metrics'],
  ) {
    measureDatabase(database, registry, metricPrefix);
  }

  /** Runs after every other module has ended. */
  async onApplicationShutdown(): Promise<void> {
    const { closeDeadlineMs } = this.timings;
    await endWithin(
      closeDeadlineMs,
      this.database.close(),
      this.logger,
      'the database did not close in time',
    );
    await this.limiterStorage.close();
  }
}
