import type { ActiveChain, ActiveChains } from '@yield-vault/chains';
import {
  createIntentBuilder,
  intentsSchema,
  setupSchema,
  type IntentBuilder,
} from '@yield-vault/intent-builder';
import type { RankedVault } from '@yield-vault/protocol';

/** Make the builder of a server with these vaults, as a deployment has it by default. */
export function createBenchBuilder(
  chain: ActiveChain,
  vaults: readonly RankedVault[],
  now?: () => number,
): IntentBuilder {
  const chains: ActiveChains = {
    keys: [chain.key],
    all: [chain],
    find: () => chain,
    findById: () => chain,
    require: () => chain,
  };
  return createIntentBuilder({
    chains,
    vaults: {
      find: (vaultId) => vaults.find((vault) => vault.vaultId === vaultId),
      best: () => [...vaults].sort((a, b) => b.compositeScores.balanced - a.compositeScores.balanced),
      isStale: () => false,
    },
    options: { ...intentsSchema.parse({}), ...setupSchema.parse({}) },
    now,
  });
}
