import { type Hex, numberToHex } from 'viem';
import { buildTrackedVault } from '../../test/build-snapshots.js';
import type { BlockSimulator } from './create-simulator.js';
import { limitByHolders } from './redeem-as-holder.js';

const totals = { totalAssets: 1_000_000n, totalSupply: 1_000_000n };
const exit = {
  method: 'idle' as const,
  instant: 300_000n,
  exitBps: 10,
  curve: [
    { assets: 100n, receivedBps: 10_000 },
    { assets: 300_000n, receivedBps: 9_990 },
  ],
};
const holders = [1n, 2n].map((n) => ({ address: numberToHex(n, { size: 20 }), shares: 100_000n }));
const word = (value: bigint) => ({ status: 'success' as const, data: numberToHex(value, { size: 32 }) });
const reverted = { status: 'failure' as const, data: '0x' as Hex };

describe('limitByHolders', () => {
  let redeemed: readonly bigint[];
  /** Each holder redeems 100,000, then a half and a quarter of it: those that are paid, and what they receive. */
  const limited = (paid: readonly boolean[], received: bigint) => {
    const results = [
      word(100_000n),
      word(7n),
      ...paid.map((is) => (is ? word(0n) : reverted)),
      word(7n + received),
    ];
    const simulator = {
      runBlocks: ([block]: Parameters<BlockSimulator['runBlocks']>[0]) => {
        redeemed = block!.calls.flatMap(({ account, data }) =>
          account ? [BigInt(data.slice(0, 74)) % 2n ** 256n] : [],
        );
        return Promise.resolve([...results, ...results]);
      },
    } as unknown as BlockSimulator;
    return limitByHolders(simulator, buildTrackedVault(), holders, totals, exit);
  };

  it('default: the exit as it was, where all of it is paid', async () => {
    expect(await limited([true, false, false], 99_000n)).toBe(exit);
    expect(redeemed.slice(0, 3)).toEqual([100_000n, 50_000n, 25_000n]);
  });

  it('behavior: what a part of the shares pays, where all of them revert', async () => {
    expect(await limited([false, true, false], 50_000n)).toEqual({
      ...exit,
      instant: 50_000n,
      curve: [exit.curve[0], { assets: 300_000n, receivedBps: 0 }],
    });
  });

  it('behavior: nothing, at a known cost, where a redeem loses half', async () => {
    expect(await limited([true, false, false], 50_000n)).toEqual({
      ...exit,
      method: 'simulated',
      instant: 0n,
      exitBps: 5_000,
      curve: exit.curve.map(({ assets }) => ({ assets, receivedBps: 5_000 })),
    });
  });
});
