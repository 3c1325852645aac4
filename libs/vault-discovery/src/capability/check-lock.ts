import { exitProbeAbi, exitProbeDeployedBytecode } from '@yield-vault/contracts';
import { decodeFunctionResult, encodeFunctionData, erc4626Abi, type Hex } from 'viem';
import { daySeconds } from '@yield-vault/vault-metrics';
import type { RegistryEntry } from '../catalogue/parse-registry.js';
import { toAmount } from '../chain/read-contracts.js';
import { type BlockSimulator, type TokenSlot, withBalance } from './create-simulator.js';
import { larger, probeAmount } from './probe-vault.js';
import { exitBpsOf, highest } from './simulate-exit.js';

/** What a deposit shows of which half is redeemed one block later, and half of the rest one day later. */
export interface LockCheck {
  /** Both redeems were paid. */
  readonly isFree: boolean;
  /** The larger cost of the two, in basis points of the share price; null when one was not paid. */
  readonly exitBps: number | null;
  /** The share price grew within the day, without a transaction. */
  readonly accrues: boolean;
}

const secondsPerBlock = 12n;
/** The least growth of a day that is not rounding: one part in 10^8. */
const growthParts = 100_000_000n;

const redeemHalf = { abi: exitProbeAbi, functionName: 'redeemHalf' } as const;

/**
 * Deposit into a vault in one block, and redeem parts of it in the next one and a day later.
 *
 * @param totalSupply - shares whose price shows growth
 * @returns undefined when the vault takes no deposit, or the node cannot simulate blocks
 */
export async function checkLock(
  { holder, runBlocks }: BlockSimulator,
  { address: vault, asset, facts }: Pick<RegistryEntry, 'address' | 'asset' | 'facts'>,
  assetSlot: TokenSlot,
  totalSupply: bigint,
): Promise<LockCheck | undefined> {
  const price = {
    to: vault,
    data: encodeFunctionData({ abi: erc4626Abi, functionName: 'convertToAssets', args: [totalSupply] }),
  };
  // Never all that is left: a vault without other assets could not pay the yield of a day.
  const redeem = {
    to: holder,
    data: encodeFunctionData({ ...redeemHalf, args: [vault, asset.address] }),
  };
  for (const factor of [1n, ...larger]) {
    const assets = probeAmount({ asset, facts }) * factor;
    const deposit = encodeFunctionData({
      abi: exitProbeAbi,
      functionName: 'depositFor',
      args: [vault, asset.address, assets, holder],
    });
    const results = await runBlocks([
      {
        after: secondsPerBlock,
        calls: [{ to: holder, data: deposit }],
        stateOverrides: [
          { address: holder, code: exitProbeDeployedBytecode },
          withBalance(assetSlot, assets),
        ],
      },
      { after: 2n * secondsPerBlock, calls: [redeem, price] },
      { after: 2n * secondsPerBlock + BigInt(daySeconds), calls: [price, redeem] },
    ]);
    if (!results) return undefined;
    const [deposited, first, before, after, second] = results.map(({ status, data }) =>
      status === 'success' ? data : undefined,
    );
    if (deposited !== undefined)
      return { ...judgeRedeems([first, second]), accrues: grows(toAmount(before), toAmount(after)) };
  }
  return undefined;
}

function judgeRedeems(results: readonly (Hex | undefined)[]): Omit<LockCheck, 'accrues'> {
  // A node that ignores the code of the holder returns nothing.
  const paid = results
    .flatMap((data) => (data && data !== '0x' ? [decodeFunctionResult({ ...redeemHalf, data })] : []))
    .filter(({ received }) => received > 0n);
  const isFree = paid.length === results.length;
  return { isFree, exitBps: isFree ? highest(paid.map(exitBpsOf)) : null };
}

const grows = (before = 0n, after = 0n) => before > 0n && after - before > before / growthParts;
