import { exitProbeAbi, exitProbeDeployedBytecode } from '@yield-vault/contracts';
import { decodeFunctionResult, encodeFunctionData, erc4626Abi, type Hex } from 'viem';
import { daySeconds } from '@yield-vault/vault-metrics';
import type { RegistryEntry } from '../catalogue/parse-registry.js';
import { toAmount } from '../chain/read-contracts.js';
import { type BlockSimulator, secondsPerBlock, type TokenSlot, withBalance } from './create-simulator.js';
import { probeAmount } from './probe-vault.js';
import { exitBpsOf, highest } from './simulate-exit.js';

/** What deposits show of which half is redeemed one block later, and half of the rest one day later. */
export interface LockCheck {
  /** The vault took none of the deposits. */
  readonly isClosed: boolean;
  /** Both redeems were paid. */
  readonly isFree: boolean;
  /** The larger cost of the two, in basis points of the share price; null when one was not paid. */
  readonly exitBps: number | null;
  /** The share price grew within the day, without a transaction. */
  readonly accrues: boolean;
}

/** The least growth of a day that is not rounding: one part in 10^8. */
const growthParts = 100_000_000n;

/** A vault may lock large deposits only, and refuse some. About 1M, 10k and 10 USD, in amounts of ten dollars. */
const deposited = [100_000n, 1_000n, 1n];

const depositFor = { abi: exitProbeAbi, functionName: 'depositFor' } as const;
const redeemHalf = { abi: exitProbeAbi, functionName: 'redeemHalf' } as const;

/**
 * Make deposits into a vault in one block, and redeem parts of them in the next one and a day later.
 *
 * @param totalSupply - shares whose price shows growth
 * @returns undefined when the node cannot simulate blocks
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
  const amounts = deposited.map((factor) => probeAmount({ asset, facts }) * factor);
  const deposits = amounts.map((assets) => ({
    to: holder,
    data: encodeFunctionData({ ...depositFor, args: [vault, asset.address, assets, holder] }),
  }));
  const results = await runBlocks([
    {
      after: secondsPerBlock,
      calls: deposits,
      stateOverrides: [
        { address: holder, code: exitProbeDeployedBytecode },
        withBalance(
          assetSlot,
          amounts.reduce((sum, assets) => sum + assets),
        ),
      ],
    },
    { after: 2n * secondsPerBlock, calls: [redeem, price] },
    { after: 2n * secondsPerBlock + BigInt(daySeconds), calls: [price, redeem] },
  ]);
  if (!results) return undefined;
  const paid = results.map(({ status, data }) => (status === 'success' ? data : undefined));
  const [first, before, after, second] = paid.slice(deposits.length);
  return {
    isClosed: paid.slice(0, deposits.length).every((data) => data === undefined),
    ...judgeRedeems([first, second]),
    accrues: grows(toAmount(before), toAmount(after)),
  };
}

function judgeRedeems(results: readonly (Hex | undefined)[]): Pick<LockCheck, 'isFree' | 'exitBps'> {
  // A node that ignores the code of the holder returns nothing.
  const paid = results
    .flatMap((data) => (data && data !== '0x' ? [decodeFunctionResult({ ...redeemHalf, data })] : []))
    .filter(({ expected, received }) => expected > 0n && received > 0n);
  const isFree = paid.length === results.length;
  return { isFree, exitBps: isFree ? highest(paid.map(exitBpsOf)) : null };
}

const grows = (before = 0n, after = 0n) => before > 0n && after - before > before / growthParts;
