import { Inject, Module } from '@nestjs/common';
import type { ChainEvents } from '@yield-vault/chain-events';
import type { ActiveChains } from '@yield-vault/chains';
import type { ForkClient } from '@yield-vault/forks/client';
import { createDatabaseSetupStore, createSetupRelay, type SetupRelay } from '@yield-vault/setup-relay';
import { Parts } from '../../parts.js';
import { RelayModule } from '../../infrastructure/lifecycle.js';
import { tokens } from '../../tokens.js';
import { SetupController } from './setup.controller.js';

/** Setup-relay: sends the setup transaction of a wallet. */
@Module({
  controllers: [SetupController],
  providers: [
    {
      provide: tokens.setupRelay,
      inject: [Parts, tokens.walletChains, tokens.events, tokens.forkService],
      useFactory: (
        { settings: { setup, relay }, database }: Parts,
        chains: ActiveChains,
        events: ChainEvents,
        forks?: ForkClient,
      ) =>
        createSetupRelay({
          chains,
          // A managed fork mines an idle block only every 15 s, so the confirmations are mined at once.
          ...(forks && {
            forks: { confirm: async (chain, blocks) => (await forks.persistent(chain)).mine(blocks) },
          }),
          events,
          store: createDatabaseSetupStore(database),
          options: { ...setup, waitSeconds: relay.setupWaitSeconds, maxWaiting: relay.maxWaiting },
        }),
    },
  ],
})
export class SetupModule extends RelayModule {
  constructor(@Inject(tokens.setupRelay) relay: SetupRelay, parts: Parts) {
    super(relay, parts);
  }
}
