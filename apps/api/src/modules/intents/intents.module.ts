import { Module } from '@nestjs/common';
import { requireForks, type ActiveChains, type ContractCheck } from '@yield-vault/chains';
import type { Deployment } from '@yield-vault/deployment';
import { createIntentBuilder, type VaultCatalogue } from '@yield-vault/intent-builder';
import type { IntentsPort } from '../../ports.js';
import { tokens } from '../../tokens.js';
import { DiscoveryModule } from '../discovery/discovery.module.js';
import type { ManagedForks } from '../testing/open-forks.js';
import { IntentsController } from './intents.controller.js';

/** Prepare: builds the setup or the intent that a wallet signs. */
@Module({
  imports: [DiscoveryModule],
  controllers: [IntentsController],
  providers: [
    {
      provide: tokens.intents,
      inject: [
        tokens.settings,
        tokens.chains,
        tokens.wallets,
        tokens.discovery,
        tokens.contractCheck,
        tokens.managedForks,
      ],
      useFactory: (
        { intents, setup }: Deployment,
        chains: ActiveChains,
        wallets: ActiveChains,
        vaults: VaultCatalogue,
        contractCheck: ContractCheck,
        { areConfigured }: ManagedForks,
      ): IntentsPort => {
        const builder = createIntentBuilder({ chains: wallets, vaults, options: { ...intents, ...setup } });
        const checked = requireContracts(builder, contractCheck);
        const onForks = <T>(key: string, build: () => Promise<T>): Promise<T> => {
          requireForks([chains.require(key)], areConfigured);
          return build();
        };
        return {
          prepare: async (request) => onForks(request.chain, () => checked.prepare(request)),
          gaslessSetup: async (request) => onForks(request.chain, () => checked.gaslessSetup(request)),
        };
      },
    },
  ],
})
export class IntentsModule {}

/** Refuse a setup while a contract that it needs is missing. */
export function requireContracts(intents: IntentsPort, check: Pick<ContractCheck, 'require'>): IntentsPort {
  return {
    prepare: async (request) => {
      const prepared = await intents.prepare(request);
      // A wallet that is set up proves that the contracts are there.
      if (prepared.needsSetup) await check.require(request.chain);
      return prepared;
    },
    gaslessSetup: async (request) => {
      await check.require(request.chain);
      return intents.gaslessSetup(request);
    },
  };
}
