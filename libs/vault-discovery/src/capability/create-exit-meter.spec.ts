import { exitProbeAbi } from '@yield-vault/contracts';
import {
  decodeFunctionData,
  encodeFunctionResult,
  type Hex,
  numberToHex,
  type PublicClient,
  toFunctionSelector,
} from 'viem';
import { aggregate } from '../../test/aggregate.js';
import { buildTrackedVault } from '../../test/build-snapshots.js';
import { createExitMeter } from './create-exit-meter.js';
import type { BlockSimulator } from './create-simulator.js';

const vault = buildTrackedVault();
const balanceSlot: Hex = `0x${'00'.repeat(32)}`;
const word = (value: bigint) => numberToHex(value, { size: 32 });

let deposits: bigint[];
/** What the vault holds of its asset, of 1000 in total. */
let held: bigint;
let results: Awaited<ReturnType<BlockSimulator['runBlocks']>>;
beforeEach(() => {
  [deposits, held] = [[], 400n];
  results = lockOf(500n);
});

const dataOf = (...words: readonly Hex[]) => words.map((data) => ({ status: 'success' as const, data }));

/** A deposit whose two redeems pay so much of 500. */
function lockOf(received: bigint) {
  const result = { shares: 500n, expected: 500n, received };
  const redeemed = encodeFunctionResult({ abi: exitProbeAbi, functionName: 'redeemHalf', result });
  const words = [redeemed, word(10n ** 12n), word(10n ** 12n + 10n ** 9n), redeemed] as const;
  return dataOf('0x', '0x', '0x', ...words);
}

const words: Readonly<Record<Hex, () => bigint>> = {
  [toFunctionSelector('totalAssets()')]: () => 1_000n,
  [toFunctionSelector('totalSupply()')]: () => 1_000n,
  [toFunctionSelector('balanceOf(address)')]: () => held,
};
const rpc = {
  call: ({ data }: { readonly data: Hex }) =>
    Promise.resolve({
      data: aggregate(data, ({ callData }) => {
        const value = words[callData.slice(0, 10) as Hex]?.();
        return value === undefined ? undefined : word(value);
      }),
    }),
} as unknown as PublicClient;
const simulator: BlockSimulator = {
  holder: '0x00000000000000000000000000000000005eed01',
  run: () => Promise.resolve(undefined),
  runBlocks: ([first]) => {
    for (const { data } of first!.calls)
      deposits.push(BigInt(decodeFunctionData({ abi: exitProbeAbi, data }).args[2] as bigint));
    return Promise.resolve(results);
  },
};
const create = (hasAssetSlot = true) => {
  const meter = createExitMeter({
    rpc,
    now: () => 1_800_000_000_000,
    // Of shares nobody knows it.
    findSlot: (address) =>
      Promise.resolve(
        hasAssetSlot && address === vault.entry.asset.address ? { address, balanceSlot } : undefined,
      ),
  });
  return async () => (await meter([vault], 7n, simulator, new AbortController().signal))[0];
};

describe('createExitMeter, for shares that cannot be overridden', () => {
  it('default: the assets in the vault itself', async () => {
    expect(await create()()).toEqual({
      vault: vault.id,
      checkedAt: 1_800_000_000,
      method: 'idle',
      instant: 400n,
      totalAssets: 1_000n,
      exitBps: 0,
      accrues: true,
      curve: [],
    });
  });

  it('behavior: a fee of the deposit that is redeemed', async () => {
    results = lockOf(490n);
    expect(await create()()).toMatchObject({ method: 'idle', exitBps: 200 });
  });

  it.each<[string, () => void, boolean]>([
    ['little in the vault itself', () => (held = 299n), true],
    ['a redeem that pays nothing', () => (results = lockOf(0n)), true],
    ['a node that ignores overridden code', () => (results = dataOf(...Array<Hex>(7).fill('0x'))), true],
    ['deposits that revert', () => (results = Array(7).fill({ status: 'failure', data: '0x' })), true],
    ['a node that simulates no blocks', () => (results = undefined), true],
    ['an asset that cannot be overridden', () => undefined, false],
  ])('behavior: unknown with %s', async (_, arrange, hasAssetSlot) => {
    arrange();
    expect(await create(hasAssetSlot)()).toMatchObject({ method: 'unknown', instant: null });
  });

  it('behavior: deposits of about 1M, 10k and 10 USD, at each measurement', async () => {
    const measure = create();
    await measure();
    await measure();
    expect(deposits).toEqual([10n ** 12n, 10n ** 10n, 10n ** 7n, 10n ** 12n, 10n ** 10n, 10n ** 7n]);
  });
});
