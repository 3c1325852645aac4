import { localAssetAddress, localVaults } from '@yield-vault/testing/local';
import { vaultIdOf, type RankedVault } from '@yield-vault/protocol';

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
  const { chainId, address, name, protocol, decimalsOffset, apyPercent, tvl, sharePrice } = vault;
  return {
    vaultId: vaultIdOf(chainId, address),
    vaultAddress: address,
    chain: 'base',
    chainId,
    name,
    protocol,
    asset: { symbol: 'USDC', address: localAssetAddress(vault), decimals: usdcDecimals },
    shareDecimals: usdcDecimals + decimalsOffset,
    apy: { now: apyPercent, week: apyPercent, month: apyPercent },
    risk: { score: 10, level: 'low', rating: 'A' },
    sharpe: { week: 1, month: 1 },
    tvlUsd: tvl,
    tier: 'prime',
    compositeScores: { maximize_apy: score, minimize_risk: score, balanced: score },
    sharePrice,
    assetPriceUsd: 1,
    listed: true,
    exclusions: [],
  };
}
