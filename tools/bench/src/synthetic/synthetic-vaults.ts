import {
  extraProbeDecimals,
  type MeasureInput,
  type RegistryEntry,
  type SeriesColumns,
  type VaultFacts,
} from '@yield-vault/vault-discovery';
import { vaultIdOf } from '@yield-vault/protocol';
import { getAddress, keccak256, toHex, type Address } from 'viem';
import { createRandom, type Random } from './random.js';

/** A vault that the chain confirmed, with its id in the store. */
export type SyntheticVault = MeasureInput['vault'];

export const syntheticChainId = 8453;

interface AssetKind {
  readonly asset: RegistryEntry['asset'];
  readonly priceUsd: number;
  readonly assetClass: VaultFacts['assetClass'];
}

const hourSeconds = 3_600;
const yearHours = 8_760;
const shareDecimals = 18;

const assetOf = (
  symbol: string,
  decimals: number,
  priceUsd: number,
  assetClass: AssetKind['assetClass'],
): AssetKind => ({
  asset: { symbol, decimals, address: addressOf(`asset ${symbol}`) },
  priceUsd,
  assetClass,
});

/** Assets with how many vaults in a hundred have them. */
const assets: readonly (readonly [AssetKind, number])[] = [
  [assetOf('USDC', 6, 1, 'fiat_stable'), 46],
  [assetOf('WETH', 18, 3_100, 'native'), 20],
  [assetOf('USDT', 6, 1, 'fiat_stable'), 9],
  [assetOf('cbBTC', 8, 96_000, 'wrapped_btc'), 7],
  [assetOf('EURC', 6, 1.09, 'fiat_stable'), 5],
  [assetOf('wstETH', 18, 3_700, 'lst'), 5],
  [assetOf('DAI', 18, 1, 'cdp_stable'), 4],
  [assetOf('USDe', 18, 1, 'synthetic_stable'), 3],
  [assetOf('weETH', 18, 3_300, 'lrt'), 1],
];
const houses = ['Harbor', 'Meridian', 'Tidewater', 'Kestrel', 'Lantern', 'Quay', 'Sandbar', 'Breakwater'];
const styles = ['Prime', 'Core', 'Flagship', 'Growth', 'Frontier', 'Reserve', 'Instant', 'Balanced'];

/**
 * Make up vaults of one chain: assets, facts and names spread as among real ones. The same number gives the same vault.
 *
 * @param from - number of the first, from 0; its id in the store is one larger
 */
export function syntheticVaults(from: number, until: number): SyntheticVault[] {
  return Array.from({ length: until - from }, (_, index) => syntheticVault(from + index));
}

function syntheticVault(number: number): SyntheticVault {
  const random = createRandom(number);
  const { asset, assetClass } = random.pick(assets);
  const [house, style] = [houses, styles].map((words) =>
    random.pick(words.map((word) => [word, 1] as const)),
  );
  const address = addressOf(`vault ${String(number)}`);
  const entry: RegistryEntry = {
    chainId: syntheticChainId,
    chain: 'base',
    address,
    name: `${String(house)} ${asset.symbol} ${String(style)} ${String(number)}`,
    protocol: String(house),
    asset,
    firstSeen: new Date(Date.UTC(2026, 0, 1) - random.next() * 1_000 * 86_400_000).toISOString().slice(0, 10),
    facts: factsOf(random, assetClass),
    flags: random.next() < 0.01 ? ['deprecated'] : [],
    sources: ['registry'],
  };
  return { entry, shareDecimals, id: number + 1, vaultId: vaultIdOf(syntheticChainId, address) };
}

const factsOf = (random: Random, assetClass: AssetKind['assetClass']): VaultFacts => ({
  ...(random.next() < 0.9 && {
    admin: random.pick([
      ['immutable', 2],
      ['dao', 2],
      ['timelock', 3],
      ['multisig', 3],
      ['eoa', 0.3],
    ] as const),
    timelockSeconds: random.pick([
      [0, 3],
      [86_400, 2],
      [259_200, 3],
      [604_800, 2],
    ] as const),
  }),
  ...(random.next() < 0.9 && { audits: Math.floor(random.next() * 8) }),
  curator: random.pick([
    ['none_needed', 3],
    ['known_guarded', 3],
    ['known', 3],
    ['unknown', 1],
  ] as const),
  strategy: random.pick([
    ['lending', 4],
    ['isolated', 2],
    ['multi_market', 3],
    ['aggregator', 1],
    ['leveraged', 0.5],
  ] as const),
  assetClass,
  oracle: random.pick([
    ['chainlink', 6],
    ['redstone', 2],
    ['custom', 1],
  ] as const),
  top1Share: random.next() ** 2,
  liquidity: random.next() * 0.6,
});

/** How a vault did, hour by hour, up to now; a few lose, jump or fall silent for a while. */
export function syntheticSeries({ id }: SyntheticVault, hours: number, now: number): SeriesColumns {
  const random = createRandom(id ^ 0x5eed);
  const hourly = Math.log1p(0.045 * Math.exp(0.6 * random.normal())) / yearHours;
  const tvlUsd = 2_000_000 * Math.exp(1.8 * random.normal());
  const eventAt = Math.floor(random.next() * hours);
  const event = random.pick([
    ['none', 94],
    ['loss', 2],
    ['jump', 2],
    ['gap', 2],
  ] as const);
  const end = now - (now % hourSeconds);
  const kept = Array.from({ length: hours }, (_, hour) => hour).filter(
    (hour) => event !== 'gap' || hour < eventAt || hour > eventAt + 12 || hour === hours - 1,
  );
  let logPrice = 0.05 * random.next();
  let before = 0;
  const logPrices = kept.map((hour) => {
    logPrice += hourly * (hour - before) * (1 + 0.1 * random.normal());
    if (event === 'loss' && hour === eventAt) logPrice -= 0.02;
    if (event === 'jump' && hour === eventAt) logPrice += 0.03;
    before = hour;
    return logPrice;
  });
  const sharePrice = Float64Array.from(logPrices, Math.exp);
  return {
    t: Float64Array.from(kept, (hour) => end - (hours - 1 - hour) * hourSeconds),
    sharePrice,
    tvlUsd: sharePrice.map((price) => tvlUsd * price),
    origin: new Uint8Array(kept.length),
  };
}

/** Build the input that measures a vault. */
export function measureInput(vault: SyntheticVault, series: SeriesColumns, now: number): MeasureInput {
  const { asset } = vault.entry;
  const { priceUsd } = assets.find(
    ([
      {
        asset: { symbol },
      },
    ]) => symbol === asset.symbol,
  )![0];
  const [t, sharePrice, tvlUsd] = [series.t, series.sharePrice, series.tvlUsd].map((column) =>
    column.at(-1)!,
  );
  const result = createRandom(vault.id ^ 0xca11).pick([
    ['ok', 92],
    ['deposit-closed', 4],
    ['reverts', 2],
    ['async', 2],
  ] as const);
  return {
    vault,
    series,
    last: {
      ...{ vault: vault.id, t: t!, block: 40_000_000n, priceUsd, priceSource: 0, origin: 0 },
      sharePrice: BigInt(Math.round(sharePrice! * 10 ** (asset.decimals + extraProbeDecimals))),
      totalAssets: BigInt(Math.round((tvlUsd! / priceUsd) * 100)) * 10n ** BigInt(asset.decimals - 2),
      totalSupply: BigInt(Math.round(tvlUsd! / priceUsd / sharePrice!)) * 10n ** BigInt(shareDecimals),
    },
    capability: {
      ...{ vault: vault.id, result, checkedAt: now - 600, block: 40_000_000n, reason: null },
      failedStep: result === 'ok' ? null : 'deposit',
      ...{ assetsIn: 1_000_000n, sharesOut: 10n ** 18n, assetsOut: 999_999n },
    },
    liquidity: undefined,
  };
}

function addressOf(text: string): Address {
  return getAddress(`0x${keccak256(toHex(text)).slice(-40)}`);
}
