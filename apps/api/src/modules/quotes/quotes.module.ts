import { Module } from '@nestjs/common';
import type { ActiveChains } from '@yield-vault/chains';
import type { IntentBuilder } from '@yield-vault/intent-builder';
import { createQuotes, type VaultDiscovery } from '@yield-vault/vault-discovery';
import { Parts } from '../../parts.js';
import { tokens } from '../../tokens.js';
import { DiscoveryModule } from '../discovery/discovery.module.js';
import { PrepareModule } from '../prepare/prepare.module.js';
import { QuotesController } from './quotes.controller.js';

/** Quotes: what an amount would earn in a vault, and whether another one is better. */
@Module({
  imports: [DiscoveryModule, PrepareModule],
  controllers: [QuotesController],
  providers: [
    {
      provide: tokens.quotes,
      inject: [Parts, tokens.walletChains, tokens.discovery, tokens.intents],
      useFactory: (
        { logger }: Parts,
        chains: ActiveChains,
        discovery: VaultDiscovery,
        intents: IntentBuilder,
      ) => createQuotes({ discovery, chains, costs: (chain) => intents.estimateCosts(chain), logger }),
    },
  ],
})
export class QuotesModule {}
