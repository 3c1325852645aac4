import { formatAmount, type ChainWallet, type Position, type StatusResponse } from '@yield-vault/protocol';
import type { CostsPort } from './ports.js';
import type { ChainHoldings, Holding } from './types.js';

const dustUsd = 0.01;
const dustBaseUnits = 10n;

// Micro-dollars: finer than any asset is priced, coarse enough to drop binary noise.
const roundUsd = (usd: number) => Math.round(usd * 1e6) / 1e6;

const hasPrice = ({ vault }: Holding) => vault.assetPriceUsd > 0;

/** 0 without a price: such a holding is in no total. */
const inUsd = (holding: Holding, baseUnits: bigint) =>
  hasPrice(holding)
    ? Number(formatAmount(baseUnits, holding.vault.asset.decimals)) * holding.vault.assetPriceUsd
    : 0;

const isDust = (holding: Holding) =>
  holding.currentValue < dustBaseUnits ||
  (hasPrice(holding) && inUsd(holding, holding.currentValue) < dustUsd);

function toPosition(holding: Holding): Position {
  const { vault, shares, costBasis, currentValue, openedAtSeconds, isComplete } = holding;
  const amount = (baseUnits: bigint) => formatAmount(baseUnits, vault.asset.decimals);
  return {
    vaultId: vault.vaultId,
    vaultAddress: vault.vaultAddress,
    vaultName: vault.name,
    protocol: vault.protocol,
    chain: vault.chain,
    asset: vault.asset.symbol,
    shares: shares.toString(),
    depositedAmount: amount(costBasis),
    costBasis: isComplete ? 'exact' : 'pending',
    currentValue: amount(currentValue),
    apy: vault.apy.now,
    unrealizedYield: amount(currentValue - costBasis),
    depositTimestamp: new Date(openedAtSeconds * 1000).toISOString(),
  };
}

/** Prices of a full redeem; `undefined` while they are unknown. */
export type ExitPrices = Awaited<ReturnType<CostsPort>> | undefined;

/** What a wallet holds on one chain, and the price of leaving. */
export interface PricedChain extends ChainHoldings {
  /** Chain key. */
  readonly chain: string;
  readonly exitPrices: ExitPrices;
}

/**
 * Make the status response of a wallet: dust (below 0.01 USD or 10 base units) is left out, the largest
 * position comes first, and the yield earned includes what closed positions realised. While the past of a wallet is being
 * read, its present positions add nothing to the yield earned. A position whose asset has no
 * known USD price is shown, after the others, and counted in `positionCount`, but is not in the USD totals.
 */
export function summarise(chains: readonly PricedChain[]): StatusResponse {
  const holdings = chains.flatMap((chain) => chain.holdings);
  const shown = holdings
    .filter((holding) => !isDust(holding))
    .sort((a, b) => inUsd(b, b.currentValue) - inUsd(a, a.currentValue));
  const sum = (of: readonly Holding[], value: (holding: Holding) => bigint) =>
    of.reduce((total, holding) => total + inUsd(holding, value(holding)), 0);
  // Shares whose purchase has not been read are no yield.
  const complete = shown.filter(({ isComplete }) => isComplete);
  const unrealised = sum(complete, ({ currentValue, costBasis }) => currentValue - costBasis);
  return {
    positions: shown.map(toPosition),
    totalValueUsd: roundUsd(sum(shown, ({ currentValue }) => currentValue)),
    totalDeposited: roundUsd(sum(shown, ({ costBasis }) => costBasis)),
    totalYieldEarned: roundUsd(sum(holdings, ({ realised }) => realised) + unrealised),
    totalGasPaidUsd: roundUsd(chains.reduce((paid, { gasPaidUsd }) => paid + gasPaidUsd, 0)),
    positionCount: shown.length,
    wallets: Object.fromEntries(
      chains.map(({ chain, setup, idle, exitPrices }): [string, ChainWallet] => {
        const exits = shown.filter(({ vault }) => vault.chain === chain);
        const exitUsd = exits.reduce(
          (total, { vault }) => total + (exitPrices?.(vault).redeemGasUsd ?? NaN),
          0,
        );
        return [chain, { setup, idle, exitGasUsd: Number.isFinite(exitUsd) ? roundUsd(exitUsd) : null }];
      }),
    ),
  };
}
