import type { ActiveChain } from '@yield-vault/chains';
import { createIntentBuilder, intentsSchema, setupSchema } from '@yield-vault/intent-builder';
import { buildRankedVault } from '@yield-vault/testing';
import { steadyVaults } from './service.js';

/** Two vaults as a catalogue lists them. The second one is better. */
export const vaults = steadyVaults.slice(0, 2).map(({ address, name, decimalsOffset, sharePrice }, index) => {
  const score = 50 + 40 * index;
  return buildRankedVault({
    vaultAddress: address,
    name,
    sharePrice,
    shareDecimals: 6 + decimalsOffset,
    compositeScores: { maximize_apy: score, minimize_risk: score, balanced: score },
  });
});

/** Make the builder of a server, with the settings that a deployment has by default. */
export function createBuilder(chain: ActiveChain, now?: () => number) {
  const find = () => chain;
  return createIntentBuilder({
    chains: { keys: [chain.key], all: [chain], find, findById: find, require: find },
    vaults: {
      find: (vaultId) => vaults.find((vault) => vault.vaultId === vaultId),
      best: () => vaults.toReversed(),
      isStale: () => false,
    },
    options: { ...intentsSchema.parse({}), ...setupSchema.parse({}) },
    now,
  });
}
