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
import type { ExitSample } from '../ports.js';

/** What a vault and its protocol say of its assets at a block. */
export interface VaultAssets {
  /** 0 when the vault does not tell. */
  readonly totalAssets: bigint;
  readonly totalSupply: bigint;
  /** What the protocol says that can leave; `unknown` where it says nothing. */
  readonly available: Pick<ExitSample, 'method' | 'instant'>;
}

/** Reads the assets of vaults, in the order of the vaults. */
export type AssetsReader = (
  vaults: readonly TrackedVault[],
  block: bigint,
) => Promise<readonly VaultAssets[]>;

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

/** Idle assets are only a part of the withdrawable ones, so less than 30 % says nothing. */
const sayingParts = 30n;
const parts = 100n;
const readsPerBatch = 200;
const totals = (['totalAssets', 'totalSupply'] as const).map((functionName) =>
  encodeFunctionData({ abi: erc4626Abi, functionName }),
);

/**
 * Create a reader. The holder of a vault's assets is read once.
 *
 * @param readGasLimit - gas that one read may burn
 */
export function createAssetsReader(rpc: PublicClient, readGasLimit: number): AssetsReader {
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
    const sourceOf = vaults.map(availableOf);
    const words = await read(
      vaults.flatMap(({ entry: { address: target } }, index) => [
        ...totals.map((callData) => ({ target, callData })),
        sourceOf[index]!.read,
      ]),
      block,
    );
    return sourceOf.map(({ isIdle }, index) => {
      const [totalAssets = 0n, totalSupply = 0n, amount] = words.slice(3 * index, 3 * index + 3);
      const says = amount !== undefined && !(isIdle && amount * parts < totalAssets * sayingParts);
      const instant = says ? (amount < totalAssets ? amount : totalAssets) : null;
      const method = says ? (isIdle ? 'idle' : 'protocol') : 'unknown';
      return { totalAssets, totalSupply, available: { method, instant } };
    });
  };
}
