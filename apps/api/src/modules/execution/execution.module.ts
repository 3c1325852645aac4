import { Inject, Module } from '@nestjs/common';
import type { ChainEvents } from '@yield-vault/chain-events';
import type { ActiveChains } from '@yield-vault/chains';
import {
  createDatabaseIntentStore,
  createExecutionRelay,
  type DepositLimits,
  type ExecutionRelay,
} from '@yield-vault/execution-relay';
import type { Simulator } from '@yield-vault/forks/preflight';
import type { VaultDiscovery } from '@yield-vault/vault-discovery';
import { measureIntents } from '@yield-vault/worker';
import { Parts } from '../../parts.js';
import { RelayModule } from '../../infrastructure/lifecycle.js';
import { tokens } from '../../tokens.js';
import { DiscoveryModule } from '../discovery/discovery.module.js';
import { ExecutionController } from './execution.controller.js';
import { IntentStatusController } from './intent-status.controller.js';

/** Execute: simulates and submits signed intents. */
@Module({
  imports: [DiscoveryModule],
  controllers: [ExecutionController, IntentStatusController],
  providers: [
    {
      provide: tokens.executionRelay,
      inject: [
        Parts,
        tokens.walletChains,
        tokens.discovery,
        tokens.depositLimits,
        tokens.events,
        tokens.simulator,
      ],
      useFactory: (
        { settings: { relay, intents }, database, metrics }: Parts,
        chains: ActiveChains,
        vaults: VaultDiscovery,
        limits: DepositLimits,
        events: ChainEvents,
        simulate: Simulator | undefined,
      ) =>
        createExecutionRelay({
          chains,
          vaults,
          simulate,
          events,
          store: createDatabaseIntentStore(database, undefined, limits),
          options: {
            waitSeconds: relay.executeWaitSeconds,
            lifetimeSeconds: intents.expirySeconds,
            maxWaiting: relay.maxWaiting,
          },
          onResolved: measureIntents(metrics.registry),
        }),
    },
  ],
})
export class ExecutionModule extends RelayModule {
  constructor(@Inject(tokens.executionRelay) relay: ExecutionRelay, parts: Parts) {
    super(relay, parts);
  }
}
