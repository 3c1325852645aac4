import { Inject, Module, type BeforeApplicationShutdown, type OnApplicationShutdown } from '@nestjs/common';
import { requireForks, type ActiveChains } from '@yield-vault/chains';
import type { DatabaseHandle } from '@yield-vault/protocol/database';
import type { Deployment } from '@yield-vault/deployment';
import { createDatabaseSetupStore, createSetupRelay } from '@yield-vault/setup-relay';
import type { Logger } from 'pino';
import { RelayDrain, type Timings } from '../../infrastructure/lifecycle.js';
import type { SetupRelayPort } from '../../ports.js';
import { tokens } from '../../tokens.js';
import type { ManagedForks } from '../testing/open-forks.js';
import { SetupController } from './setup.controller.js';

/** Setup-relay: sends the setup transaction of a wallet. */
@Module({
  controllers: [SetupController],
  providers: [
    {
      provide: tokens.setupRelay,
      inject: [tokens.settings, tokens.chains, tokens.wallets, tokens.database, tokens.managedForks],
      useFactory: (
        { setup, relay }: Deployment,
        chains: ActiveChains,
        wallets: ActiveChains,
        database: DatabaseHandle,
        { areConfigured, confirm }: ManagedForks,
      ): SetupRelayPort => {
        const setupRelay = createSetupRelay({
          chains: wallets,
          store: createDatabaseSetupStore(database),
          forks: { confirm },
          options: { ...setup, waitSeconds: relay.setupWaitSeconds },
        });
        return {
          ...setupRelay,
          relay: async (request) => {
            const { chainId } = request.setupTicket;
            requireForks(
              chains.all.filter((chain) => chain.chainId === chainId),
              areConfigured,
            );
            return setupRelay.relay(request);
          },
        };
      },
    },
  ],
})
export class SetupModule implements BeforeApplicationShutdown, OnApplicationShutdown {
  readonly #drain: RelayDrain;

  constructor(
    @Inject(tokens.setupRelay) relay: SetupRelayPort,
    @Inject(tokens.logger) logger: Logger,
    @Inject(tokens.timings) timings: Timings,
  ) {
    this.#drain = new RelayDrain(relay, logger, timings);
  }

  beforeApplicationShutdown(): void {
    this.#drain.begin();
  }

  onApplicationShutdown(): Promise<void> {
    return this.#drain.end();
  }
}
