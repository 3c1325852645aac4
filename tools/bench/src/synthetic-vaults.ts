import { vaultIdOf } from '@yield-vault/protocol';
import { extraProbeDecimals, shippedRegistry, type MeasureInput } from '@yield-vault/vault-discovery';
import { getAddress, toHex } from 'viem';

export const chainId = 8453;
/** As a deployment has them by default. */
export const measureOptions = { minTvlUsd: 100_000, maxProbeAgeSeconds: 21_600 };

const historyHours = 31 * 24;
const shareDecimals = 18;

/** Numbers from 0 up to 1 that look random and are the same in every run (mulberry32). */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Make up vaults of Base with 31 days of hours, with the facts of the shipped registry. The same number gives the same vault. */
export function syntheticInputs(count: number, now: number): MeasureInput[] {
  const models = shippedRegistry().filter((entry) => entry.chainId === chainId);
  return Array.from({ length: count }, (_, index): MeasureInput => {
    const random = createRandom(index);
    const model = models[index % models.length]!;
    const address = getAddress(toHex(0x5eed_0000_0000n + BigInt(index), { size: 20 }));
    const entry = { ...model, address, name: `${model.name} ${index}` };
    const id = index + 1;
    // Few pay more than 18 %, and most hold more than the least of a listed vault.
    const hourly = (0.01 + 0.25 * random() ** 4) / 8_760;
    const tvlUsd = Math.round(10 ** (4.7 + 4 * random()));
    const sharePrice = new Float64Array(historyHours).map((_, hour) => (1 + hourly) ** (hour + random() / 4));
    const newest = now - (now % 3_600);
    const snapshot = { vault: id, block: 40_000_000n, reason: null };
    return {
      vault: { entry, shareDecimals, id, vaultId: vaultIdOf(chainId, address) },
      series: {
        t: sharePrice.map((_, hour) => newest - (historyHours - 1 - hour) * 3_600),
        sharePrice,
        tvlUsd: sharePrice.map(() => tvlUsd),
        origin: new Uint8Array(historyHours),
      },
      last: {
        ...snapshot,
        t: newest,
        priceUsd: 1,
        priceSource: 0,
        origin: 0,
        sharePrice: BigInt(
          Math.round(sharePrice.at(-1)! * 10 ** (entry.asset.decimals + extraProbeDecimals)),
        ),
        totalAssets: BigInt(tvlUsd) * 10n ** BigInt(entry.asset.decimals),
        totalSupply: BigInt(tvlUsd) * 10n ** BigInt(shareDecimals),
      },
      capability: {
        ...snapshot,
        result: 'ok',
        checkedAt: now - 600,
        failedStep: null,
        assetsIn: 1_000_000n,
        sharesOut: 10n ** 18n,
        assetsOut: 999_999n,
        depositGas: 120_000,
        redeemGas: 90_000,
      },
      exit: undefined,
      contract: undefined,
    };
  });
}
