import {
  type Address,
  encodeFunctionData,
  erc20Abi,
  erc4626Abi,
  getAddress,
  parseAbi,
  type PublicClient,
  toHex,
} from 'viem';
import { type Read, readBatches, toAmount, toBatches } from '../chain/read-contracts.js';
import type { TrackedVault } from '../catalogue/check-vaults.js';

export interface LiquidityReaderDeps {
  readonly rpc: PublicClient;
  /** Gas that one read may burn. */
  readonly readGasLimit: number;
}

/** Reads the fraction of its assets that each vault could pay out now, by vault id; unknown ones are left out. */
export type LiquidityReader = (
  vaults: readonly TrackedVault[],
  block: bigint,
) => Promise<ReadonlyMap<number, number>>;

/** Where the vaults of a protocol keep their withdrawable assets. */
interface Source {
  /** Function of the vault that returns the holder of its assets. */
  readonly holder?: 'aToken';
  /** Function of the vault that returns the amount. */
  readonly amount?: 'cash';
}

/** By protocol of the registry. For other protocols only assets in the vault itself are visible. */
const sources: Readonly<Record<string, Source>> = {
  'aave-v3': { holder: 'aToken' },
  'euler-v2': { amount: 'cash' },
};
const sourceAbi = parseAbi([
  'function aToken() view returns (address)',
  'function cash() view returns (uint256)',
]);

/** Idle assets are only a part of the withdrawable ones, so a small fraction says nothing. */
const leastIdleFraction = 0.3;
const readsPerBatch = 200;
const fractionDigits = 1_000_000n;

/** Create a reader. The holder of a vault's assets is read once. */
export function createLiquidityReader({ rpc, readGasLimit }: LiquidityReaderDeps): LiquidityReader {
  const holders = new Map<Address, Address>();
  const read = async (reads: readonly Read[], block: bigint) =>
    (await readBatches(rpc, toBatches(reads, readsPerBatch, readGasLimit), block)).map(toAmount);

  const findHolders = async (vaults: readonly TrackedVault[], block: bigint) => {
    const asked = vaults.flatMap(({ entry }) => {
      const functionName = sources[entry.protocol]?.holder;
      return functionName && !holders.has(entry.address) ? [{ target: entry.address, functionName }] : [];
    });
    const words = await read(
      asked.map(({ target, functionName }) => ({
        target,
        callData: encodeFunctionData({ abi: sourceAbi, functionName }),
      })),
      block,
    );
    asked.forEach(({ target }, index) => {
      const word = words[index];
      if (word) holders.set(target, getAddress(toHex(word, { size: 20 })));
    });
  };

  const availableOf = ({ entry }: TrackedVault): { readonly read: Read; readonly isIdle: boolean } => {
    const source = sources[entry.protocol];
    const holder = source?.holder && holders.get(entry.address);
    if (source?.amount) {
      const callData = encodeFunctionData({ abi: sourceAbi, functionName: source.amount });
      return { read: { target: entry.address, callData }, isIdle: false };
    }
    const callData = encodeFunctionData({
      abi: erc20Abi,
      functionName: 'balanceOf',
      args: [holder ?? entry.address],
    });
    return { read: { target: entry.asset.address, callData }, isIdle: holder === undefined };
  };

  return async (vaults, block) => {
    await findHolders(vaults, block);
    const available = vaults.map(availableOf);
    const totalAssets = encodeFunctionData({ abi: erc4626Abi, functionName: 'totalAssets' });
    const words = await read(
      vaults.flatMap(({ entry }, index) => [
        { target: entry.address, callData: totalAssets },
        available[index]!.read,
      ]),
      block,
    );
    const fractions = new Map<number, number>();
    vaults.forEach(({ id }, index) => {
      const fraction = fractionOf(words[2 * index + 1], words[2 * index]);
      if (fraction === undefined || (available[index]!.isIdle && fraction < leastIdleFraction)) return;
      fractions.set(id, fraction);
    });
    return fractions;
  };
}

function fractionOf(available: bigint | undefined, total: bigint | undefined): number | undefined {
  if (available === undefined || !total) return undefined;
  return Math.min(1, Number((available * fractionDigits) / total) / Number(fractionDigits));
}
