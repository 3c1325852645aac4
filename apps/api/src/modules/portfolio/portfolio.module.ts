import { Inject, Module, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { createActiveChains, requireForks, type ActiveChains } from '@yield-vault/chains';
import { createLeadership, type Leadership } from '@yield-vault/database';
import type { DatabaseHandle } from '@yield-vault/protocol/database';
import type { Deployment } from '@yield-vault/deployment';
import { createDatabaseScanStore, createPositions, type PositionsOptions } from '@yield-vault/positions';
import type { VaultDiscovery } from '@yield-vault/vault-discovery';
import type { Logger } from 'pino';
import { endWithin, type Timings } from '../../infrastructure/lifecycle.js';
import type { PositionsPort } from '../../ports.js';
import { tokens } from '../../tokens.js';
import { DiscoveryModule } from '../discovery/discovery.module.js';
import type { ManagedForks } from '../testing/open-forks.js';
import { PortfolioController } from './portfolio.controller.js';

/** Positions of a wallet, and the history of a vault. */
@Module({
  imports: [DiscoveryModule],
  controllers: [PortfolioController],
  providers: [
    {
      provide: tokens.positions,
      inject: [
        ...[tokens.settings, tokens.chains, tokens.discovery],
        ...[tokens.managedForks, tokens.database, tokens.logger],
      ],
      useFactory: (
        { environment }: Deployment,
        chains: ActiveChains,
        vaults: VaultDiscovery,
        { areConfigured, walletChains }: ManagedForks,
        database: DatabaseHandle,
        logger: Logger,
      ): PositionsPort => {
        const positions = createPositions({
          ...{ chains: openClients(walletChains), vaults, logger },
          store: createDatabaseScanStore(database),
          options: readOptions(walletChains, environment),
        });
        return {
          ...positions,
          status: async (userAddress, signal) => {
            requireForks(chains.all, areConfigured);
            return positions.status(userAddress, signal);
          },
        };
      },
    },
  ],
})
export class PortfolioModule implements OnApplicationBootstrap, OnApplicationShutdown {
  #reader: Leadership | undefined;

  constructor(
    @Inject(tokens.positions) private readonly positions: PositionsPort,
    @Inject(tokens.database) private readonly database: Pick<DatabaseHandle, 'openSession'>,
    @Inject(tokens.logger) private readonly logger: Logger,
    @Inject(tokens.timings) private readonly timings: Timings,
  ) {}

  onApplicationBootstrap(): void {
    const onError = (err: unknown) =>
      this.logger.warn(
        { err },
        'the database does not respond: no process can be elected to read the past of wallets',
      );
    this.#reader = createLeadership(this.database, 'positions', { onError });
    void this.#reader.lead((signal) => this.positions.readPast(signal));
  }

  async onApplicationShutdown(): Promise<void> {
    if (!this.#reader) return;
    const { endDeadlineMs } = this.timings;
    await endWithin(
      endDeadlineMs,
      this.#reader.stop(),
      this.logger,
      'the reader of positions did not end in time',
    );
  }
}

/** Clients of their own: slow log queries must not open the circuit breakers of prepare, execute or status. */
function openClients(chains: Deployment['chains']) {
  const logs = createActiveChains({ chains }, { retries: 0 });
  const { all } = createActiveChains({ chains });
  return { all: all.map((chain) => ({ ...chain, logs: logs.require(chain.key).rpc })) };
}

function readOptions(
  chains: Deployment['chains'],
  environment: Deployment['environment'],
): Record<string, PositionsOptions> {
  return Object.fromEntries(
    Object.entries(chains).map(([key, { logsFromBlock = 0, logReads, relayMode }]) => [
      key,
      {
        ...logReads,
        logsFromBlock: BigInt(logsFromBlock),
        mayBeReplaced: environment === 'local' || relayMode === 'managed-fork',
      },
    ]),
  );
}
