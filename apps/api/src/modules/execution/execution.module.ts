import {
  Inject,
  Module,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { requireForks, type ActiveChains } from '@yield-vault/chains';
import type { DatabaseHandle } from '@yield-vault/protocol/database';
import type { Deployment } from '@yield-vault/deployment';
import { countIntents, createDatabaseIntentStore, createExecutionRelay } from '@yield-vault/execution-relay';
import type { VaultDiscovery } from '@yield-vault/vault-discovery';
import type { Logger } from 'pino';
import { metricPrefix, type Parts } from '../../infrastructure/infrastructure.module.js';
import { RelayDrain, repeat, type Timings } from '../../infrastructure/lifecycle.js';
import type { ExecutionRelayPort } from '../../ports.js';
import { tokens } from '../../tokens.js';
import { DiscoveryModule } from '../discovery/discovery.module.js';
import type { ManagedForks } from '../testing/open-forks.js';
import { ExecutionController } from './execution.controller.js';
import { IntentStatusController } from './intent-status.controller.js';
import { measureIntents } from './measure-intents.js';

/** Execute: simulates and submits signed intents, and resolves those that an earlier process left. */
@Module({
  imports: [DiscoveryModule],
  controllers: [ExecutionController, IntentStatusController],
  providers: [
    {
      provide: tokens.executionRelay,
      inject: [
        tokens.settings,
        tokens.chains,
        tokens.wallets,
        tokens.database,
        tokens.discovery,
        tokens.managedForks,
      ],
      useFactory: (
        { relay }: Deployment,
        chains: ActiveChains,
        wallets: ActiveChains,
        database: DatabaseHandle,
        vaults: VaultDiscovery,
        { areConfigured, simulator }: ManagedForks,
      ): ExecutionRelayPort => {
        const executionRelay = createExecutionRelay({
          chains: wallets,
          store: createDatabaseIntentStore(database),
          vaults,
          ...(simulator && { simulate: simulator }),
          options: { waitSeconds: relay.executeWaitSeconds },
        });
        return {
          ...executionRelay,
          execute: async (request) => {
            const { chainId } = request.intentEnvelope;
            // `wallets` lacks the chains whose managed fork is not configured; `chains` has all.
            requireForks(
              chains.all.filter((chain) => chain.chainId === chainId),
              areConfigured,
            );
            return executionRelay.execute(request);
          },
        };
      },
    },
  ],
})
export class ExecutionModule
  implements OnApplicationBootstrap, BeforeApplicationShutdown, OnApplicationShutdown
{
  readonly #drain: RelayDrain;
  readonly #countSweep: ReturnType<typeof measureIntents>;
  readonly #stopping = new AbortController();

  constructor(
    @Inject(tokens.executionRelay) private readonly relay: ExecutionRelayPort,
    @Inject(tokens.logger) private readonly logger: Logger,
    @Inject(tokens.timings) private readonly timings: Timings,
    @Inject(tokens.database) database: DatabaseHandle,
    @Inject(tokens.metrics) { registry }: Parts['metrics'],
  ) {
    this.#countSweep = measureIntents(() => countIntents(database), registry, metricPrefix);
    this.#drain = new RelayDrain(relay, logger, timings);
  }

  onApplicationBootstrap(): void {
    const sweep = async () => {
      try {
        await this.relay.resume();
        this.#countSweep('succeeded');
      } catch (err) {
        this.#countSweep('failed');
        this.logger.error({ err }, 'the sweeper failed: the next attempt follows');
      }
    };
    void repeat(sweep, this.timings.sweepIntervalMs, this.#stopping.signal);
  }

  beforeApplicationShutdown(): void {
    this.#stopping.abort();
    this.#drain.begin();
  }

  onApplicationShutdown(): Promise<void> {
    return this.#drain.end();
  }
}
