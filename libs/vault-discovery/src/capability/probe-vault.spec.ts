import { capabilityProbeAbi } from '@yield-vault/contracts';
import { decodeFunctionData, encodeErrorResult, encodeFunctionResult, parseAbi } from 'viem';
import { buildTrackedVault } from '../../test/build-snapshots.js';
import { probeVault } from './probe-vault.js';
import type { Simulator } from './simulator.js';

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
      ...{ verdict: 'ok', failedStep: null, reason: null },
      ...{ assetsIn: usdc(10), sharesOut: 1n, assetsOut: usdc(10) },
    });
    expect(asked).toEqual([usdc(10)]);
  });

  it('behavior: more where that was too little, with the reason', async () => {
    const { simulator, asked } = simulatorOf((assets) => (assets < usdc(500) ? 'below minimum' : null));
    expect(await probeVault(simulator, vault, slot)).toMatchObject({
      ...{ verdict: 'ok', reason: 'below minimum', assetsIn: usdc(1_000) },
    });
    expect(asked).toEqual([usdc(10), usdc(1_000)]);
  });

  it('behavior: what the small amount showed, when more does not help', async () => {
    const { simulator, asked } = simulatorOf((assets) =>
      assets < usdc(100_000) ? 'below minimum' : 'exceed deposit limit',
    );
    expect(await probeVault(simulator, vault, slot)).toMatchObject({
      ...{ verdict: 'below-minimum', failedStep: 'deposit', assetsIn: usdc(10) },
    });
    expect(asked).toEqual([usdc(10), usdc(1_000), usdc(100_000)]);
  });

  it('behavior: other failures are not tried with more', async () => {
    const { simulator, asked } = simulatorOf(() => 'exceed deposit limit');
    expect(await probeVault(simulator, vault, slot)).toMatchObject({ verdict: 'deposit-closed' });
    expect(asked).toHaveLength(1);
  });

  it('behavior: no verdict when the simulated balance cannot be moved', async () => {
    const { simulator } = simulatorOf(() => 'ERC20: transfer amount exceeds balance');
    expect(await probeVault(simulator, vault, slot)).toBeUndefined();
  });

  it('behavior: no verdict when the node gives up', async () => {
    const { simulator } = simulatorOf(() => undefined);
    expect(await probeVault(simulator, vault, slot)).toBeUndefined();
  });
});
