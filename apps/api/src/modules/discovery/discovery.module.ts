import { Inject, Module, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { ActiveChains } from '@yield-vault/chains';
import { startJobs, type RunningJobs } from '@yield-vault/database';
import { openDepositLimits, type DepositLimits } from '@yield-vault/execution-relay';
import { createVaultDiscovery, type VaultDiscovery } from '@yield-vault/vault-discovery';
import { metricPrefix } from '@yield-vault/worker';
import { Parts } from '../../parts.js';
import { tokens } from '../../tokens.js';
import { ChainsController } from './chains.controller.js';
import { DiscoveryController } from './discovery.controller.js';
import { measureDepositLimits, measureDiscovery } from './measure-discovery.js';
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
    {
      provide: tokens.depositLimits,
      inject: [Parts, tokens.chains, tokens.discovery],
      useFactory: ({ database, metrics }: Parts, chains: ActiveChains, vaults: VaultDiscovery) =>
        openDepositLimits({
          database,
          chains,
          vaults,
          onRead: measureDepositLimits(metrics.registry, metricPrefix),
        }),
    },
  ],
  exports: [tokens.discovery, tokens.depositLimits],
})
export class DiscoveryModule implements OnApplicationBootstrap, OnApplicationShutdown {
  #jobs: RunningJobs | undefined;

  constructor(
    @Inject(tokens.discovery) private readonly discovery: VaultDiscovery,
    @Inject(tokens.depositLimits) private readonly limits: DepositLimits,
    private readonly parts: Parts,
  ) {
    measureDiscovery(discovery, parts.metrics.registry, metricPrefix);
  }

  onApplicationBootstrap(): void {
    this.#jobs = startJobs(() => [this.discovery.job, this.limits.job], { logger: this.parts.logger });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.#jobs?.stop();
  }
}
