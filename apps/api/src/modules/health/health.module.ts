import {
  Inject,
  Module,
  type DynamicModule,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import {
  createCallGasCheck,
  createChainProbe,
  type ActiveChains,
  type ContractCheck,
} from '@yield-vault/chains';
import { largestCallGas } from '@yield-vault/intent-builder';
import type { Logger } from 'pino';
import { metricPrefix, type NewestBlocks, type Parts } from '../../infrastructure/infrastructure.module.js';
import type { ChainsPort, DatabasePort, DiscoveryPort, ProbeChain } from '../../ports.js';
import type { ServerSettings } from '../../settings.js';
import { tokens } from '../../tokens.js';
import { DiscoveryModule } from '../discovery/discovery.module.js';
import {
  createHealthMonitor,
  type HealthMonitor,
  type HealthMonitorOptions,
} from './create-health-monitor.js';
import { HealthController } from './health.controller.js';
import { measureHealth } from './measure-health.js';
import { MetricsController } from './metrics.controller.js';

/** Liveness, readiness and metrics. */
@Module({
  imports: [DiscoveryModule],
  providers: [
    {
      provide: tokens.probeChain,
      inject: [tokens.chains, tokens.wallets, tokens.newestBlocks, tokens.contractCheck, tokens.logger],
      useFactory: (
        chains: ActiveChains,
        wallets: ActiveChains,
        newestBlocks: NewestBlocks,
        contracts: ContractCheck,
        logger: Logger,
      ) => {
        const probeChain = createChainProbe(logger);
        const probeWallets = async (key: string) => {
          const wallet = wallets.find(key);
          if (!wallet) return probeChain({ ...chains.require(key), bundler: undefined });
          const probe = await probeChain(wallet);
          if (probe.newestBlock) newestBlocks.set(key, probe.newestBlock);
          return probe;
        };
        return createProbe(probeWallets, contracts, createCallGasCheck(wallets, largestCallGas, logger));
      },
    },
    { provide: tokens.healthOptions, useValue: {} },
    {
      provide: tokens.health,
      inject: [tokens.chains, tokens.database, tokens.discovery, tokens.probeChain, tokens.healthOptions],
      useFactory: (
        chains: ChainsPort,
        database: DatabasePort,
        discovery: DiscoveryPort,
        probe: ProbeChain,
        options: HealthMonitorOptions,
      ) => createHealthMonitor({ chains, database, discovery, probeChain: probe }, options),
    },
  ],
})
export class HealthModule implements OnApplicationBootstrap, OnModuleDestroy {
  static with({ environment }: ServerSettings): DynamicModule {
    const controllers = [HealthController, ...(environment === 'local' ? [MetricsController] : [])];
    return { module: HealthModule, controllers };
  }

  constructor(
    @Inject(tokens.health) private readonly health: HealthMonitor,
    @Inject(tokens.metrics) { registry }: Parts['metrics'],
  ) {
    measureHealth(() => health.read(), registry, metricPrefix);
  }

  onApplicationBootstrap(): void {
    this.health.start();
  }

  onModuleDestroy(): void {
    this.health.stop();
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
