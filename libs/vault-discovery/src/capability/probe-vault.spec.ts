import { capabilityProbeAbi } from '@yield-vault/contracts';
import { decodeFunctionData, encodeErrorResult, encodeFunctionResult, parseAbi } from 'viem';
import { buildTrackedVault } from '../../test/build-snapshots.js';
import { probeAmount, probeVault } from './probe-vault.js';
import type { Simulator } from './create-simulator.js';

const steps = { none: 0, deposit: 2 } as const;
const vault = buildTrackedVault();
const slot = { address: vault.entry.asset.address, balanceSlot: `0x${'00'.repeat(32)}` } as const;
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
      const abi = parseAbi(['error Error(string)']);
      const works = text === null;
      const result = {
        failedStep: works ? steps.none : steps.deposit,
        isOutOfGas: false,
        isPaused: false,
        isDepositAsync: false,
        isRedeemAsync: false,
        approveGas: 1n,
        depositGas: 1n,
        redeemGas: 1n,
        revertData: works ? '0x' : encodeErrorResult({ abi, errorName: 'Error', args: [text] }),
        sharesOut: works ? 1n : 0n,
        assetsOut: works ? assets : 0n,
      };
      return encodeFunctionResult({
        abi: capabilityProbeAbi,
        functionName: 'probe',
        result: result as never,
      });
    },
  };
  return { simulator, asked };
}

describe('probeVault', () => {
  it('default: one small amount', async () => {
    const { simulator, asked } = simulatorOf(() => null);
    expect(await probeVault(simulator, vault, slot)).toEqual({
      result: 'ok',
      failedStep: null,
      reason: null,
      assetsIn: usdc(10),
      sharesOut: 1n,
      assetsOut: usdc(10),
      depositGas: 1,
      redeemGas: 1,
    });
    expect(asked).toEqual([usdc(10)]);
  });

  it('behavior: more where that was too little, with the reason', async () => {
    const { simulator, asked } = simulatorOf((assets) => (assets < usdc(500) ? 'below minimum' : null));
    expect(await probeVault(simulator, vault, slot)).toMatchObject({
      result: 'ok',
      reason: 'below minimum',
      assetsIn: usdc(1_000),
    });
    expect(asked).toEqual([usdc(10), usdc(1_000)]);
  });

  it('behavior: the result of the small amount, when a larger one fails, too', async () => {
    const { simulator, asked } = simulatorOf((assets) =>
      assets < usdc(100_000) ? 'below minimum' : 'exceed deposit limit',
    );
    expect(await probeVault(simulator, vault, slot)).toMatchObject({
      result: 'below-minimum',
      failedStep: 'deposit',
      assetsIn: usdc(10),
    });
    expect(asked).toEqual([usdc(10), usdc(1_000), usdc(100_000)]);
  });

  it('behavior: other failures are not tried with more', async () => {
    const { simulator, asked } = simulatorOf(() => 'exceed deposit limit');
    expect(await probeVault(simulator, vault, slot)).toMatchObject({ result: 'deposit-closed' });
    expect(asked).toHaveLength(1);
  });

  it.each([
    ['the simulated balance cannot be moved', 'ERC20: transfer amount exceeds balance'],
    ['the node gives up', undefined],
  ])('behavior: no result when %s', async (_, text) => {
    expect(await probeVault(simulatorOf(() => text).simulator, vault, slot)).toBeUndefined();
  });
});

describe('probeAmount', () => {
  it.each([
    ['fiat_stable', 6, 10_000_000n],
    ['native', 18, 10n ** 16n],
    ['wrapped_btc', 8, 20_000n],
    ['cdp_stable', 18, 10n ** 19n],
    // One whole unit of an unknown asset, and at least one base unit.
    [undefined, 18, 10n ** 18n],
    ['native', 0, 1n],
  ] as const)('default: about ten dollars of %s with %d decimals', (assetClass, decimals, amount) => {
    const { asset } = vault.entry;
    const facts = assetClass ? { assetClass } : {};
    expect(probeAmount({ asset: { ...asset, decimals }, facts })).toBe(amount);
  });
});
