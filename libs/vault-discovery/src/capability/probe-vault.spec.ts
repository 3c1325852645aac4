import { capabilityProbeAbi } from '@yield-vault/contracts';
import { decodeFunctionData, encodeErrorResult, encodeFunctionResult, parseAbi } from 'viem';
import { buildRegistryEntry } from '../../test/build-registry-entry.js';
import { buildTrackedVault } from '../../test/build-snapshots.js';
import { probeAmount, probeVault } from './probe-vault.js';
import type { Simulator } from './simulate-deposit.js';

const steps = { none: 0, deposit: 2 } as const;
const slot = `0x${'00'.repeat(32)}` as const;
const vault = buildTrackedVault();
const usdc = (whole: number) => BigInt(whole) * 1_000_000n;

/** A vault that works from some amount on and otherwise reverts with a text; undefined: the node gives up. */
function simulatorOf(textFor: (assets: bigint) => string | null | undefined) {
  const asked: bigint[] = [];
  const simulator: Simulator = {
    holder: '0x00000000000000000000000000000000005eed01',
    run: async ({ data }) => {
      const [, , assets] = decodeFunctionData({ abi: capabilityProbeAbi, data }).args as readonly [
        unknown,
        unknown,
        bigint,
      ];
      asked.push(assets);
      const text = textFor(assets);
      if (text === undefined) return undefined;
      const revertData = encodeErrorResult({
        ...{ abi: parseAbi(['error Error(string)']), errorName: 'Error', args: [text ?? ''] },
      });
      const none = { isOutOfGas: false, isPaused: false, isDepositAsync: false, isRedeemAsync: false };
      const gas = { approveGas: 1n, depositGas: 1n, redeemGas: 1n };
      const went =
        text === null
          ? {
              failedStep: steps.none,
              revertData: '0x',
              sharesOut: 1n,
              assetsPreviewed: assets,
              assetsOut: assets,
            }
          : { failedStep: steps.deposit, revertData, sharesOut: 0n, assetsPreviewed: 0n, assetsOut: 0n };
      return encodeFunctionResult({
        ...{ abi: capabilityProbeAbi, functionName: 'probe', result: { ...none, ...gas, ...went } as never },
      });
    },
  };
  return { simulator, asked };
}

describe('probeVault', () => {
  it('default: one small amount', async () => {
    const { simulator, asked } = simulatorOf(() => null);
    expect(await probeVault(simulator, vault, slot)).toEqual({
      ...{ result: 'ok', failedStep: null, reason: null },
      ...{ assetsIn: usdc(10), sharesOut: 1n, assetsOut: usdc(10) },
    });
    expect(asked).toEqual([usdc(10)]);
  });

  it('behavior: more where that was too little, with the reason', async () => {
    const { simulator, asked } = simulatorOf((assets) => (assets < usdc(500) ? 'below minimum' : null));
    expect(await probeVault(simulator, vault, slot)).toMatchObject({
      ...{ result: 'ok', reason: 'below minimum', assetsIn: usdc(1_000) },
    });
    expect(asked).toEqual([usdc(10), usdc(1_000)]);
  });

  it('behavior: the result of the small amount, when a larger one fails, too', async () => {
    const { simulator, asked } = simulatorOf((assets) =>
      assets < usdc(100_000) ? 'below minimum' : 'exceed deposit limit',
    );
    expect(await probeVault(simulator, vault, slot)).toMatchObject({
      ...{ result: 'below-minimum', failedStep: 'deposit', assetsIn: usdc(10) },
    });
    expect(asked).toEqual([usdc(10), usdc(1_000), usdc(100_000)]);
  });

  it('behavior: other failures are not tried with more', async () => {
    const { simulator, asked } = simulatorOf(() => 'exceed deposit limit');
    expect(await probeVault(simulator, vault, slot)).toMatchObject({ result: 'deposit-closed' });
    expect(asked).toHaveLength(1);
  });

  it('behavior: no result when the simulated balance cannot be moved', async () => {
    const { simulator } = simulatorOf(() => 'ERC20: transfer amount exceeds balance');
    expect(await probeVault(simulator, vault, slot)).toBeUndefined();
  });

  it('behavior: no result when the node gives up', async () => {
    const { simulator } = simulatorOf(() => undefined);
    expect(await probeVault(simulator, vault, slot)).toBeUndefined();
  });
});

const asset = { symbol: 'X', address: '0x00000000000000000000000000000000000000aa', decimals: 18 } as const;

describe('probeAmount', () => {
  it('default: ten units of a stable coin', () => {
    expect(probeAmount(buildRegistryEntry())).toBe(10_000_000n);
  });

  it.each([
    ['native', 18, 10n ** 16n],
    ['wrapped_btc', 8, 20_000n],
    ['cdp_stable', 18, 10n ** 19n],
  ] as const)('behavior: about ten dollars of %s', (assetClass, decimals, amount) => {
    expect(probeAmount({ asset: { ...asset, decimals }, facts: { assetClass } })).toBe(amount);
  });

  it('behavior: one whole unit of an unknown asset', () => {
    expect(probeAmount({ asset, facts: {} })).toBe(10n ** 18n);
  });

  it('behavior: at least one base unit', () => {
    expect(probeAmount({ asset: { ...asset, decimals: 0 }, facts: { assetClass: 'native' } })).toBe(1n);
  });
});
