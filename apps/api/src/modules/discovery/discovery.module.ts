import {
  Inject,
  Module,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleDestroy,
} from '@nestjs/common';
import type { ActiveChains } from '@yield-vault/chains';
import type { DatabaseHandle } from '@yield-vault/protocol/database';
import type { Deployment } from '@yield-vault/deployment';
import { createVaultDiscovery, requireRanked, type RegistryEntry } from '@yield-vault/vault-discovery';
import type { Logger } from 'pino';
import { metricPrefix, type Parts } from '../../infrastructure/infrastructure.module.js';
import { endWithin, type Timings } from '../../infrastructure/lifecycle.js';
import type { DiscoveryPort } from '../../ports.js';
import { tokens } from '../../tokens.js';
import { ChainsController } from './chains.controller.js';
import { DiscoveryController } from './discovery.controller.js';
import { measureDiscovery } from './measure-discovery.js';
import { VaultsController } from './vaults.controller.js';

/** The catalogue of vaults: discover, list and explain. */
@Module({
  controllers: [DiscoveryController, ChainsController, VaultsController],
  providers: [
    {
      provide: tokens.discovery,
      inject: [tokens.settings, tokens.chains, tokens.database, tokens.registry, tokens.logger],
      useFactory: (
        { discovery: options }: Deployment,
        chains: ActiveChains,
        database: DatabaseHandle,
        registry: readonly RegistryEntry[],
        logger: Logger,
      ) => requireRanked(createVaultDiscovery({ chains, database, registry, options, logger })),
    },
  ],
  exports: [tokens.discovery],
})
export class DiscoveryModule implements OnApplicationBootstrap, OnModuleDestroy, OnApplicationShutdown {
  #stopped = false;
  #restart: NodeJS.Timeout | undefined;

  constructor(
    @Inject(tokens.discovery) private readonly discovery: DiscoveryPort,
    @Inject(tokens.logger) private readonly logger: Logger,
    @Inject(tokens.timings) private readonly timings: Timings,
    @Inject(tokens.metrics) { registry }: Parts['metrics'],
  ) {
    measureDiscovery(discovery, registry, metricPrefix);
  }

  onApplicationBootstrap(): void {
    void this.#start();
  }

  onModuleDestroy(): void {
    this.#stopped = true;
    clearTimeout(this.#restart);
  }

  async onApplicationShutdown(): Promise<void> {
    const { endDeadlineMs } = this.timings;
    await endWithin(endDeadlineMs, this.discovery.stop(), this.logger, 'discovery did not end in time');
  }

  async #start(): Promise<void> {
    try {
      await this.discovery.start();
      if (!this.#stopped) this.logger.info('every active chain is ranked');
    } catch (err) {
      if (this.#stopped) return;
      this.logger.error({ err }, 'discovery did not start: the next attempt follows');
      this.#restart = setTimeout(() => void this.#start(), this.timings.restartDelayMs);
    }
  }
}
