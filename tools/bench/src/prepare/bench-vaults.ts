import { buildRankedVault } from '@yield-vault/testing';
import { localVaults } from '@yield-vault/testing/local';
import type { RankedVault } from '@yield-vault/protocol';

const usdcDecimals = 6;

/** Two plain USDC vaults of the local Base, the second the better one, as a catalogue lists them. */
export function benchVaults(): readonly [RankedVault, RankedVault] {
  const [source, target] = localVaults[8453].filter(
    ({ kind, asset }) => kind === 'steady' && asset === 'USDC',
  );
  if (!source || !target) throw new Error('The devnet has no two steady USDC vaults');
  return [listed(source, 50), listed(target, 90)];
}

function listed(vault: (typeof localVaults)[8453][number], score: number): RankedVault {
  const { address, name, decimalsOffset, sharePrice } = vault;
  return buildRankedVault({
    ...{ vaultAddress: address, name, sharePrice, shareDecimals: usdcDecimals + decimalsOffset },
    compositeScores: { maximize_apy: score, minimize_risk: score, balanced: score },
  });
}
