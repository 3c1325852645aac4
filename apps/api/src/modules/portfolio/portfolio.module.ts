import { Module } from '@nestjs/common';
import type { ChainEvents } from '@yield-vault/chain-events';
import { walletChains, type WalletForks } from '@yield-vault/chains';
import type { IntentBuilder } from '@yield-vault/intent-builder';
import type { VaultDiscovery } from '@yield-vault/vault-discovery';
import { openPositions } from '@yield-vault/worker';
import { Parts } from '../../parts.js';
import { tokens } from '../../tokens.js';
import { DiscoveryModule } from '../discovery/discovery.module.js';
import { PrepareModule } from '../prepare/prepare.module.js';
import { PortfolioController } from './portfolio.controller.js';

/** Positions of a wallet, and the history of a vault. */
@Module({
  imports: [DiscoveryModule, PrepareModule],
  controllers: [PortfolioController],
  providers: [
    {
      provide: tokens.positions,
      inject: [Parts, tokens.forkService, tokens.discovery, tokens.events, tokens.intents],
      useFactory: (
        { settings: { chains }, database, logger }: Parts,
        forks: WalletForks | undefined,
        vaults: VaultDiscovery,
        events: ChainEvents,
        intents: IntentBuilder,
      ) =>
        openPositions(walletChains(chains, forks), {
          vaults,
          events,
          database,
          costs: (chain) => intents.estimateCosts(chain),
          logger,
        }),
    },
  ],
})
export class PortfolioModule {}
