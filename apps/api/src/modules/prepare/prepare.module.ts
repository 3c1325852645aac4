import { Module } from '@nestjs/common';
import type { ActiveChains, ContractCheck } from '@yield-vault/chains';
import type { DepositLimits } from '@yield-vault/execution-relay';
import { createIntentBuilder, type IntentBuilder } from '@yield-vault/intent-builder';
import type { VaultDiscovery } from '@yield-vault/vault-discovery';
import { Parts } from '../../parts.js';
import { tokens } from '../../tokens.js';
import { DiscoveryModule } from '../discovery/discovery.module.js';
import { PrepareController } from './prepare.controller.js';

/** Prepare: builds the setup, the intent or the calls that a wallet signs. */
@Module({
  imports: [DiscoveryModule],
  controllers: [PrepareController],
  providers: [
    {
      provide: tokens.intents,
      inject: [Parts, tokens.walletChains, tokens.discovery, tokens.depositLimits, tokens.contractCheck],
      useFactory: (
        { settings: { intents, setup } }: Parts,
        chains: ActiveChains,
        vaults: VaultDiscovery,
        limits: DepositLimits,
        contractCheck: ContractCheck,
      ) =>
        requireContracts(
          createIntentBuilder({ chains, vaults, limits, options: { ...intents, ...setup } }),
          contractCheck,
        ),
    },
  ],
  exports: [tokens.intents],
})
export class PrepareModule {}

/** Refuse a setup, or calls, while a contract that they need is missing. */
export function requireContracts(
  intents: IntentBuilder,
  check: Pick<ContractCheck, 'require'>,
): IntentBuilder {
  return {
    ...intents,
    prepare: async (request, steering) => {
      const prepared = await intents.prepare(request, steering);
      // A wallet that is set up proves that the contracts are there.
      if (prepared.needsSetup) await check.require(request.chain);
      return prepared;
    },
    gaslessSetup: async (request) => {
      await check.require(request.chain);
      return intents.gaslessSetup(request);
    },
    calls: async (request) => {
      await check.require(request.chain);
      return intents.calls(request);
    },
  };
}
