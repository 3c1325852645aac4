import {
  Inject,
  Module,
  type DynamicModule,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleDestroy,
} from '@nestjs/common';
import type { ChainEvents } from '@yield-vault/chain-events';
import {
  createCallGasCheck,
  type ActiveChain,
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
import { watchChains } from './watch-chains.js';

/** Liveness, readiness and metrics. */
@Module({
  imports: [DiscoveryModule],
  providers: [
    {
      provide: tokens.probeChain,
      inject: [Parts, tokens.chains, tokens.walletChains, tokens.contractCheck, tokens.events],
      useFactory: (
        { database, logger, newestBlocks, lastCalls, settings }: Parts,
        chains: ActiveChains,
        wallets: ActiveChains,
        contracts: ContractCheck,
        events: ChainEvents,
      ): ProbeChain => {
        // A local chain drops old states while it runs.
        const hours = settings.environment === 'local' ? 0 : settings.discovery.backfillHours;
        const pastSeconds = hours * 3_600;
        // The worker reads it.
        const readPaymasterFault = async ({ chainId }: Pick<ActiveChain, 'chainId'>) => {
          const query = database.db.selectFrom('followed_chain').select('paymaster_fault');
          const row = await query.where('chain_id', '=', BigInt(chainId)).executeTakeFirst();
          return row?.paymaster_fault ?? null;
        };
        const probeChain = watchChains({
          chains,
          wallets,
          events,
          readPaymasterFault,
          contracts,
          lastCalls,
          pastSeconds,
          log: logger,
        });
        const checkCallGas = createCallGasCheck(wallets, largestCallGas, logger);
        return async (key) => {
          const probe = await probeChain(key);
          if (probe.newestBlock) newestBlocks.set(key, probe.newestBlock);
          if (probe.rpc === 'ok') await checkCallGas(key);
          return probe;
        };
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
