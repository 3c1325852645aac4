import { Inject, Module, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { ActiveChains } from '@yield-vault/chains';
import { startJobs, type RunningJobs } from '@yield-vault/database';
import { createVaultDiscovery, type VaultDiscovery } from '@yield-vault/vault-discovery';
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
  #jobs: RunningJobs | undefined;

  constructor(
    @Inject(tokens.discovery) private readonly discovery: VaultDiscovery,
    private readonly parts: Parts,
  ) {
    measureDiscovery(discovery, parts.metrics.registry, metricPrefix);
  }

  onApplicationBootstrap(): void {
    this.#jobs = startJobs(() => [this.discovery.job], { logger: this.parts.logger });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.#jobs?.stop();
  }
}
