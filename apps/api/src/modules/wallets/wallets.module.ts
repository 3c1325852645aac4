import { Global, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import {
  createActiveChains,
  createContractCheck,
  walletChains,
  type ActiveChains,
} from '@yield-vault/chains';
import { forkChains } from '@yield-vault/forks';
import { createForkClient, createForks, type ForkClient, type Forks } from '@yield-vault/forks/client';
import type { Simulator } from '@yield-vault/forks/preflight';
import { endWithin } from '@yield-vault/server';
import { metricPrefix } from '@yield-vault/worker';
import { Parts } from '../../parts.js';
import { tokens } from '../../tokens.js';
import { measureSimulations } from './measure-simulations.js';
import { openSimulator, publicForkUrl } from './open-simulator.js';

/** What wallets act on, for every module: each chain or its managed fork, its contracts, and the preflight. */
@Global()
@Module({
  providers: [
    {
      provide: tokens.forkService,
      inject: [Parts],
      useFactory: ({ settings: { forks } }: Parts) =>
        forks.provider === 'service' ? createForkClient(forks) : undefined,
    },
    {
      provide: tokens.walletChains,
      inject: [Parts, tokens.forkService],
      useFactory: ({ settings, observer }: Parts, forks?: ForkClient) =>
        createActiveChains(
          { chains: walletChains(settings.chains, forks) },
          { observer, observedAs: 'wallet-rpc' },
        ),
    },
    {
      provide: tokens.contractCheck,
      inject: [tokens.walletChains, Parts],
      useFactory: (wallets: ActiveChains, { logger }: Parts) => createContractCheck(wallets, logger),
    },
    {
      provide: tokens.simulator,
      inject: [Parts, tokens.forkService],
      useFactory: async ({ settings, newestBlocks, logger, metrics }: Parts, forks?: ForkClient) => {
        const chains = walletChains(settings.chains, forks);
        const newestBlock = (chain: string) => newestBlocks.get(chain);
        const simulator = await openSimulator(settings, chains, forks, newestBlock, logger);
        return simulator && measureSimulations(simulator, metrics.registry, metricPrefix);
      },
    },
    {
      provide: tokens.forks,
      inject: [Parts, tokens.forkService, tokens.simulator],
      useFactory: ({ settings }: Parts, provider: ForkClient | undefined, simulator: Simulator | undefined) =>
        createForks({
          provider: provider ?? createForkClient({ provider: 'none' }),
          simulator,
          chains: forkChains(settings),
          environment: settings.environment,
          preflightMode: settings.preflight.mode,
          testing: settings.testing.enabled ? settings.testing : undefined,
          rpcUrlOf: (chain) => provider && publicForkUrl(settings, (key) => provider.rpcUrl(key), chain),
        }),
    },
  ],
  exports: [tokens.forkService, tokens.walletChains, tokens.contractCheck, tokens.simulator, tokens.forks],
})
export class WalletsModule implements OnApplicationShutdown {
  constructor(
    @Inject(tokens.forks) private readonly forks: Forks,
    private readonly parts: Parts,
  ) {}

  async onApplicationShutdown(): Promise<void> {
    const { logger, timings } = this.parts;
    await endWithin(timings.closeDeadlineMs, this.forks.close(), logger, 'the forks did not end in time');
  }
}
