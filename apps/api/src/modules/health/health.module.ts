import {
  Inject,
  Module,
  type DynamicModule,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleDestroy,
} from '@nestjs/common';
import {
  createCallGasCheck,
  createChainProbe,
  type ActiveChains,
  type ContractCheck,
} from '@yield-vault/chains';
import { largestCallGas } from '@yield-vault/intent-builder';
import type { VaultDiscovery } from '@yield-vault/vault-discovery';
import { endWithin } from '@yield-vault/server';
import { metricPrefix } from '@yield-vault/worker';
import { Parts } from '../../parts.js';
import type { ServerSettings } from '../../settings.js';
import { tokens } from '../../tokens.js';
import { DiscoveryModule } from '../discovery/discovery.module.js';
import { createHealthMonitor, type HealthMonitor, type ProbeChain } from './create-health-monitor.js';
import { HealthController } from './health.controller.js';
import { measureHealth } from './measure-health.js';
import { MetricsController } from './metrics.controller.js';

/** Liveness, readiness and metrics. */
@Module({
  imports: [DiscoveryModule],
  providers: [
    {
      provide: tokens.probeChain,
      inject: [Parts, tokens.chains, tokens.walletChains, tokens.contractCheck],
      useFactory: (
        { logger, newestBlocks }: Parts,
        chains: ActiveChains,
        wallets: ActiveChains,
        contracts: ContractCheck,
      ) => {
        const probeChain = createChainProbe(logger);
        const probeWallets = async (key: string) => {
          const wallet = wallets.find(key);
          // The managed fork of the chain is not configured: probe the chain itself, without a bundler.
          if (!wallet) return probeChain({ ...chains.require(key), bundlers: [] });
          const probe = await probeChain(wallet);
          if (probe.newestBlock) newestBlocks.set(key, probe.newestBlock);
          return probe;
        };
        return createProbe(probeWallets, contracts, createCallGasCheck(wallets, largestCallGas, logger));
      },
    },
    {
      provide: tokens.health,
      inject: [Parts, tokens.chains, tokens.discovery, tokens.probeChain],
      useFactory: (
        { database, health }: Parts,
        chains: ActiveChains,
        discovery: VaultDiscovery,
        probeChain: ProbeChain,
      ) => createHealthMonitor({ chains, database, discovery, probeChain }, health),
    },
  ],
})
export class HealthModule implements OnApplicationBootstrap, OnModuleDestroy, OnApplicationShutdown {
  #stopped: Promise<void> | undefined;

  static with({ environment }: ServerSettings): DynamicModule {
    const controllers = [HealthController, ...(environment === 'local' ? [MetricsController] : [])];
    return { module: HealthModule, controllers };
  }

  constructor(
    @Inject(tokens.health) private readonly health: HealthMonitor,
    private readonly parts: Parts,
  ) {
    measureHealth(() => health.read(), parts.metrics.registry, metricPrefix);
  }

  onApplicationBootstrap(): void {
    this.health.start();
  }

  /** The probes end while requests in flight get their responses. */
  onModuleDestroy(): void {
    this.#stopped = this.health.stop();
    // A failure is logged below.
    this.#stopped.catch(() => undefined);
  }

  async onApplicationShutdown(): Promise<void> {
    if (!this.#stopped) return;
    const { logger, timings } = this.parts;
    await endWithin(timings.probeDeadlineMs, this.#stopped, logger, 'the health probes did not end in time');
  }
}

/** Add to the probe of a chain: missing contracts, and one report of how much gas its nodes allow. */
export function createProbe(
  probeChain: ProbeChain,
  contracts: Pick<ContractCheck, 'faults'>,
  checkCallGas: (key: string) => Promise<void>,
): ProbeChain {
  return async (key) => {
    const probe = await probeChain(key);
    if (probe.rpc !== 'ok') return probe;
    // If the node fails meanwhile, the next probe reports it.
    const [faults] = await Promise.all([contracts.faults(key).catch(() => []), checkCallGas(key)]);
    return faults.length === 0 ? probe : { ...probe, contracts: 'missing' };
  };
}
