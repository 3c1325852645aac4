import { Global, Inject, Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { createActiveChains, type UpstreamObserver } from '@yield-vault/chains';
import type { Deployment } from '@yield-vault/deployment';
import type { Logger } from 'pino';
import { privateKeyToAccount } from 'viem/accounts';
import { metricPrefix, type NewestBlocks, type Parts } from '../../infrastructure/infrastructure.module.js';
import { endWithin, type Timings } from '../../infrastructure/lifecycle.js';
import { measureFunds } from '../../infrastructure/measure-infrastructure.js';
import type { ForksPort } from '../../ports.js';
import { tokens } from '../../tokens.js';
import { measureForks } from './measure-forks.js';
import { openForks, type ManagedForks } from './open-forks.js';
import { TestingController } from './testing.controller.js';

/** The account that pays the gas of the embedded facilitator. */
function gasAccountOf({ payments }: Deployment) {
  if (payments.mode === 'off' || payments.facilitator.kind !== 'embedded') return undefined;
  return privateKeyToAccount(payments.facilitator.privateKey).address;
}

/** Forks, for every module; and the tools that mint on them, where the deployment serves these. */
@Global()
@Module({})
export class TestingModule implements OnApplicationShutdown {
  static with({ testing }: Pick<Deployment, 'testing'>): DynamicModule {
    return {
      module: TestingModule,
      controllers: testing.enabled ? [TestingController] : [],
      providers: [
        {
          provide: tokens.managedForks,
          inject: [tokens.settings, tokens.newestBlocks, tokens.logger],
          useFactory: (settings: Deployment, newestBlocks: NewestBlocks, logger: Logger) =>
            openForks(settings, (chain) => newestBlocks.get(chain), logger),
        },
        {
          provide: tokens.forks,
          inject: [tokens.managedForks],
          useFactory: ({ port }: ManagedForks) => port,
        },
        {
          provide: tokens.wallets,
          inject: [tokens.managedForks, tokens.upstreams, tokens.settings, tokens.metrics],
          useFactory: (
            { walletChains }: ManagedForks,
            observer: UpstreamObserver,
            settings: Deployment,
            { registry }: Parts['metrics'],
          ) => {
            const wallets = createActiveChains({ chains: walletChains }, { observer });
            measureFunds(wallets, gasAccountOf(settings), registry, metricPrefix);
            return wallets;
          },
        },
      ],
      exports: [tokens.managedForks, tokens.forks, tokens.wallets],
    };
  }

  constructor(
    @Inject(tokens.forks) private readonly forks: ForksPort,
    @Inject(tokens.logger) private readonly logger: Logger,
    @Inject(tokens.timings) private readonly timings: Timings,
    @Inject(tokens.metrics) { registry }: Parts['metrics'],
  ) {
    measureForks(forks, registry, metricPrefix);
  }

  async onApplicationShutdown(): Promise<void> {
    const { closeDeadlineMs } = this.timings;
    await endWithin(closeDeadlineMs, this.forks.close(), this.logger, 'the forks did not end in time');
  }
}
