import { Module } from '@nestjs/common';
import { requireForks, type ActiveChains } from '@yield-vault/chains';
import { createPositions } from '@yield-vault/positions';
import type { VaultDiscovery } from '@yield-vault/vault-discovery';
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
      inject: [tokens.chains, tokens.wallets, tokens.discovery, tokens.managedForks],
      useFactory: (
        chains: ActiveChains,
        wallets: ActiveChains,
        vaults: VaultDiscovery,
        { areConfigured }: ManagedForks,
      ): PositionsPort => {
        const logsFromBlock = Object.fromEntries(
          wallets.all.map(({ key, logsFromBlock = 0 }) => [key, BigInt(logsFromBlock)]),
        );
        const positions = createPositions({ chains: wallets, vaults, options: { logsFromBlock } });
        return {
          status: async (userAddress) => {
            requireForks(chains.all, areConfigured);
            return positions.status(userAddress);
          },
        };
      },
    },
  ],
})
export class PortfolioModule {}
