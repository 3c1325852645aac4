import { Inject, Module, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { ActiveChains } from '@yield-vault/chains';
import { createVaultDiscovery, type VaultDiscovery } from '@yield-vault/vault-discovery';
import { endWithin } from '@yield-vault/server';
import { metricPrefix } from '@yield-vault/worker';
import { Parts } from '../../parts.js';
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
      inject: [Parts, tokens.chains],
      useFactory: ({ settings, database, logger }: Parts, chains: ActiveChains) =>
        createVaultDiscovery({ chains, database, options: settings.discovery, logger }),
    },
  ],
  exports: [tokens.discovery],
})
export class DiscoveryModule implements OnApplicationBootstrap, OnApplicationShutdown {
  #isStopped = false;

  constructor(
    @Inject(tokens.discovery) private readonly discovery: VaultDiscovery,
    private readonly parts: Parts,
  ) {
    measureDiscovery(discovery, parts.metrics.registry, metricPrefix);
  }

  onApplicationBootstrap(): void {
    const { logger } = this.parts;
    this.discovery.start().then(
      () => {
        if (!this.#isStopped) logger.info('every active chain is ranked');
      },
      (err: unknown) => logger.error({ err }, 'discovery did not start'),
    );
  }

  async onApplicationShutdown(): Promise<void> {
    this.#isStopped = true;
    const { logger, timings } = this.parts;
    await endWithin(timings.endDeadlineMs, this.discovery.stop(), logger, 'discovery did not end in time');
  }
}
