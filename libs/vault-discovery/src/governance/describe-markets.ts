import type { VaultMarket } from '@yield-vault/protocol';
import { riskWords } from '@yield-vault/vault-metrics';
import { type Address, type Hex, parseAbi, zeroAddress } from 'viem';
import type { VaultFacts } from '../catalogue/parse-registry.js';
import { decodeResult, readable } from '../chain/read-contracts.js';
import type { ContractFacts } from '../ports.js';
import { addressOf, type GroupReader, orNull, toRead } from './group-reader.js';
import type { LookThrough, Position } from './read-markets.js';

/** A collateral token. */
export interface Token {
  readonly symbol: string | null;
  /** A share of a vault. */
  readonly isVault: boolean;
}

export async function readTokens(
  read: GroupReader,
  tokens: readonly Address[],
): Promise<ReadonlyMap<Address | null, Token>> {
  const asked = [...new Set(tokens)].filter((token) => token !== zeroAddress);
  const found = await read(asked.map((token) => [toRead(token, 'symbol()'), toRead(token, 'asset()')]));
  return new Map(
    asked.map((token, index) => {
      const [symbol, asset] = found[index]!;
      return [token, { symbol: textOf(symbol), isVault: orNull(addressOf(asset)) !== null }];
    }),
  );
}

const symbolAbi = parseAbi(['function symbol() view returns (string)']);
const mostSymbolData = 1_000;
const mostSymbol = 32;

/** A symbol that may be shown; null without one. */
function textOf(data: Hex | undefined): string | null {
  if (data === undefined || data.length > mostSymbolData) return null;
  const text = decodeResult(symbolAbi, 'symbol', data);
  return typeof text === 'string' && text !== '' ? readable(text).slice(0, mostSymbol) : null;
}

/** The markets of a vault, largest first. */
export function toMarkets(
  { positions, totalAssets }: LookThrough,
  tokens: ReadonlyMap<Address | null, Token>,
): VaultMarket[] {
  // Two adapters may use one market.
  const byMarket = new Map<Hex, Position>();
  for (const position of positions) {
    const assets = position.assets + (byMarket.get(position.marketId)?.assets ?? 0n);
    if (assets > 0n) byMarket.set(position.marketId, { ...position, assets });
  }
  return [...byMarket.values()]
    .map(({ marketId, assets, collateral, oracle, lltv, borrow, supply }) => ({
      marketId,
      sharePercent: percentOf(assets, totalAssets),
      collateral: orNull(collateral),
      collateralSymbol: tokens.get(collateral)?.symbol ?? null,
      lltvPercent: Number(lltv) / 1e16,
      oracle: orNull(oracle),
      utilisationPercent: percentOf(borrow, supply),
    }))
    .sort((a, b) => b.sharePercent - a.sharePercent);
}

const percentOf = (part: bigint, whole: bigint): number =>
  whole > 0n ? Math.min(100, Number((part * 1_000_000n) / whole) / 10_000) : 0;

/** Percent of the assets from which a market counts for the risk. */
const heavyPercent = 10;

/** Oracle and strategy of the worst market that holds a tenth of the assets. */
export function riskWordsOf(
  { isComplete }: Pick<LookThrough, 'isComplete'>,
  markets: readonly VaultMarket[],
  oracles: ReadonlyMap<Address | null, NonNullable<VaultFacts['oracle']>>,
  tokens: ReadonlyMap<Address | null, Token>,
): ContractFacts['words'] {
  if (!isComplete) return { strategy: 'aggregator' };
  const large = markets.filter(({ sharePercent }) => sharePercent >= heavyPercent);
  const heavy = large.length > 0 ? large : markets;
  if (heavy.length === 0) return {};
  const lending = heavy.flatMap(({ collateral }) => collateral ?? []);
  const oracle = heavy
    .map((market) => oracles.get(market.oracle) ?? 'custom')
    .reduce((a, b) => (riskWords.oracle[b] > riskWords.oracle[a] ? b : a));
  if (lending.length === 0) return { oracle, strategy: 'lending' };
  // A loan against shares of a vault carries that vault's risks, too.
  if (lending.some((token) => tokens.get(token)?.isVault)) return { oracle, strategy: 'aggregator' };
  return { oracle, strategy: lending.length === 1 ? 'isolated' : 'multi_market' };
}
