import { readable } from '@yield-vault/contracts';
import type { VaultMarket } from '@yield-vault/protocol';
import { riskWords } from '@yield-vault/vault-metrics';
import { type Address, erc20Abi, type Hex } from 'viem';
import { decodeResult } from '../chain/read-contracts.js';
import type { ContractFacts } from '../ports.js';
import { addressesOf, type GroupReader, orNull, toRead } from './group-reader.js';
import type { MorphoVault, Position } from './read-morpho.js';
import { type OracleWord, readOracles } from './read-oracles.js';

/** Describe what vaults lend to, and how risky the worst market is. */
export async function describeMarkets(
  read: GroupReader,
  chainId: number,
  vaults: readonly (MorphoVault | undefined)[],
): Promise<readonly Pick<ContractFacts, 'markets' | 'words'>[]> {
  const used = vaults.flatMap((vault) => vault?.positions ?? []).map(({ market }) => market.params);
  const oracles = await readOracles(read, chainId, new Set(used.map(({ oracle }) => oracle)));
  const tokens = await readTokens(read, new Set(used.map(({ collateralToken }) => collateralToken)));
  return vaults.map((vault) => {
    const markets = vault ? toMarkets(vault, tokens) : [];
    const isUnknown = vault && !vault.positions;
    return { markets, words: isUnknown ? { strategy: 'aggregator' } : riskWordsOf(markets, oracles, tokens) };
  });
}

/** Symbols of tokens, and whether a token is a share of a vault. */
type Tokens = ReadonlyMap<Address | null, { readonly symbol: string | null; readonly isVault: boolean }>;

async function readTokens(read: GroupReader, tokens: ReadonlySet<Address>): Promise<Tokens> {
  const asked = [...tokens];
  const found = await read(asked.map((token) => [toRead(token, 'symbol()'), toRead(token, 'asset()')]));
  return new Map(
    found.map(([symbol, ...asset], index) => [
      asked[index]!,
      { symbol: textOf(symbol), isVault: addressesOf(asset).length > 0 },
    ]),
  );
}

/** Of a text of 32 bytes. */
const maxSymbolData = 2 + 3 * 64;

/** A symbol that may be shown; null without one. */
function textOf(data: Hex | undefined): string | null {
  const text = data && data.length <= maxSymbolData && decodeResult(erc20Abi, 'symbol', data);
  return text ? readable(text as string) : null;
}

/** The markets of a vault, largest first. */
function toMarkets({ positions = [], totalAssets }: MorphoVault, tokens: Tokens): VaultMarket[] {
  // Two adapters may use one market.
  const byMarket = new Map<Hex, Position>();
  for (const position of positions) {
    const { id } = position.market;
    const assets = position.assets + (byMarket.get(id)?.assets ?? 0n);
    if (assets > 0n) byMarket.set(id, { ...position, assets });
  }
  return Array.from(byMarket, ([marketId, { market, assets }]) => ({
    marketId,
    sharePercent: Math.min(100, Number((assets * 1_000_000n) / (totalAssets || 1n)) / 10_000),
    collateral: orNull(market.params.collateralToken),
    collateralSymbol: tokens.get(market.params.collateralToken)?.symbol ?? null,
    lltvPercent: Number(market.params.lltv) / 1e16,
    oracle: orNull(market.params.oracle),
    utilisationPercent: Math.min(100, Number(market.utilization / 10n ** 12n) / 10_000),
  })).sort((a, b) => b.sharePercent - a.sharePercent);
}

/** Percent of the assets from which markets count for the risk. */
const heavyPercent = 10;

/** The worst word such that its markets, and those with a worse word, hold a tenth of the assets. */
function worstWord<Word extends string>(
  markets: readonly VaultMarket[],
  values: Readonly<Record<Word, number>>,
  wordOf: (market: VaultMarket) => Word,
): Word {
  let percent = 0;
  const sorted = markets.toSorted((a, b) => values[wordOf(b)] - values[wordOf(a)]);
  return wordOf(sorted.find(({ sharePercent }) => (percent += sharePercent) >= heavyPercent) ?? sorted[0]!);
}

function riskWordsOf(
  markets: readonly VaultMarket[],
  oracles: ReadonlyMap<Address | null, OracleWord>,
  tokens: Tokens,
): ContractFacts['words'] {
  if (markets.length === 0) return {};
  const largest = markets.find(({ collateral }) => collateral);
  return {
    oracle: worstWord(markets, riskWords.oracle, ({ oracle }) => oracles.get(oracle)!),
    strategy: worstWord(markets, riskWords.strategy, (market) => {
      if (!market.collateral) return 'lending';
      // A loan against shares of a vault carries that vault's risks, too.
      if (tokens.get(market.collateral)?.isVault) return 'aggregator';
      return market === largest ? 'isolated' : 'multi_market';
    }),
  };
}
