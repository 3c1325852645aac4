import { minBigInt } from '@yield-vault/protocol';
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
import type { TrackedVault } from '../catalogue/check-vaults.js';
import { type Read, readBatches, toAmount, toBatches } from '../chain/read-contracts.js';
import { createGroupReader } from '../governance/group-reader.js';
import { readMarkets, withdrawableOf } from '../governance/read-markets.js';
import type { ExitSample } from '../ports.js';

/** What a vault says of itself; 0 when it does not tell. */
export type VaultTotals = Readonly<Record<(typeof totals)[number], bigint>>;

/** Reads the assets of vaults at a block. */
export interface AssetsReader {
  /** In the order of the vaults. */
  totals(vaults: readonly TrackedVault[], block: bigint): Promise<readonly VaultTotals[]>;
  /** What a vault holds or its protocol says that can leave; `unknown` where that is too little to say anything. */
  available(
    vault: TrackedVault,
    totalAssets: bigint,
    block: bigint,
  ): Promise<Pick<ExitSample, 'method' | 'instant'>>;
}

/** Idle assets are only a part of the withdrawable ones, so less than 30 % says nothing. */
const sayingParts = 30n;
const parts = 100n;
const readsPerBatch = 200;
const totals = ['totalAssets', 'totalSupply'] as const;
const aToken = encodeFunctionData({ abi: parseAbi(['function aToken() view returns (address)']) });

/**
 * Create a reader.
 *
 * @param readGasLimit - gas that one read may burn
 */
export function createAssetsReader(rpc: PublicClient, readGasLimit: number): AssetsReader {
  const read = async (reads: readonly Read[], block: bigint) =>
    (await readBatches(rpc, toBatches(reads, readsPerBatch, readGasLimit), block)).map(toAmount);

  /** Where a protocol keeps the assets of a vault; undefined when that is the vault, or unknown. */
  const holderOf = async ({ entry }: TrackedVault, block: bigint): Promise<Address | undefined> => {
    if (entry.protocol !== 'aave-v3') return undefined;
    const [word] = await read([{ target: entry.address, callData: aToken }], block);
    return word === undefined ? undefined : getAddress(toHex(BigInt.asUintN(160, word), { size: 20 }));
  };

  return {
    totals: async (vaults, block) => {
      const words = await read(
        vaults.flatMap(({ entry }) =>
          totals.map((functionName) => ({
            target: entry.address,
            callData: encodeFunctionData({ abi: erc4626Abi, functionName }),
          })),
        ),
        block,
      );
      return vaults.map((_, index) => {
        const [totalAssets = 0n, totalSupply = 0n] = words.slice(2 * index, 2 * index + 2);
        return { totalAssets, totalSupply };
      });
    },

    available: async (vault, totalAssets, block) => {
      const { protocol, address, asset } = vault.entry;
      if (protocol === 'morpho') {
        const [look] = await readMarkets(createGroupReader({ rpc, readGasLimit }, block), [address]);
        if (look) return { method: 'protocol', instant: withdrawableOf(look) };
      }
      const holder = await holderOf(vault, block);
      const args = [holder ?? address] as const;
      const callData = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args });
      const [held] = await read([{ target: asset.address, callData }], block);
      if (held === undefined || (!holder && held * parts < totalAssets * sayingParts))
        return { method: 'unknown', instant: null };
      return { method: holder ? 'protocol' : 'idle', instant: minBigInt(held, totalAssets) };
    },
  };
}
