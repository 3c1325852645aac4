import { findChainFacts } from '@yield-vault/contracts';
import * as z from 'zod';
import { baseUnits } from '../wire-values.js';

/** The schema of `GasLimits`. */
export const gasLimits = z.strictObject({
  /** Most USDC that gas may cost, in base units. */
  maxGasUsdc: baseUnits,
  /** US dollars for one native token, to convert the cost of gas to USDC. */
  maxEthUsd: z.number().positive().max(1e9),
  /** In wei. */
  maxFeePerGas: baseUnits,
  /** In wei. */
  maxPriorityFeePerGas: baseUnits,
  /** Limit of `preVerificationGas` without the L1 fee. */
  maxPreVerificationGas: baseUnits,
  /** Limit of the L1 fee of the OP stack, in wei: as a part of `preVerificationGas` it grows when the L2 fee falls. */
  maxL1FeeWei: baseUnits,
  maxVerificationGas: baseUnits,
  maxPaymasterVerificationGas: baseUnits,
  /** For each vault of the operation. With less gas the call fails, and is charged. */
  minCallGas: baseUnits,
  /** For each vault of the operation. */
  maxCallGas: baseUnits,
  /** With less, `postOp` may revert: the call is undone, and the wallet pays the full prefund. */
  minPostOpGas: baseUnits,
  maxPostOpGas: baseUnits,
});

/** Limits of an operation's gas. The service chooses the values, and its bundler may earn what they allow. */
export type GasLimits = Readonly<z.output<typeof gasLimits>>;

const gwei = 10n ** 9n;

/** The limits of Base. A chain's facts name those that differ. */
const baseGasLimits: GasLimits = {
  // About 670k gas at the highest fee, price of ether and markup.
  maxGasUsdc: 4_000_000n,
  maxEthUsd: 5_000,
  maxFeePerGas: gwei,
  maxPriorityFeePerGas: gwei / 10n,
  // Prepare requests 51k, with an authorization 79k.
  maxPreVerificationGas: 120_000n,
  // The L1 fee of 600 bytes at 160 gwei on Ethereum.
  maxL1FeeWei: 10n ** 13n,
  // Prepare requests 50k to 59k.
  maxVerificationGas: 300_000n,
  // Prepare requests 64k, with a permit of Circle's 145k.
  maxPaymasterVerificationGas: 400_000n,
  // The leanest vault that was measured needs 39.2k to redeem, and 48k to deposit.
  minCallGas: 39_000n,
  // Prepare requests 70k to 173k. A vault with thirty markets can need a million.
  maxCallGas: 1_500_000n,
  // A refund into an empty balance needs 36k; a refresh of the price leaves this much.
  minPostOpGas: 37_000n,
  // Prepare requests 40k, with a refresh 120k.
  maxPostOpGas: 200_000n,
};

/** Higher limits for local chains, because Anvil suggests a tip of 1 gwei. */
export const localGasLimits: Partial<GasLimits> = {
  maxGasUsdc: 20_000_000n,
  maxFeePerGas: 5n * gwei,
  maxPriorityFeePerGas: 5n * gwei,
};

/** The parts of a deployment that decide its limits. */
interface Limited {
  readonly chainId: number;
  readonly gasLimits?: Partial<GasLimits> | undefined;
}

/** Merge the limits of a deployment with `changes`. A later value replaces an earlier one. */
export function mergeGasLimits(
  { chainId, gasLimits: own }: Limited,
  ...changes: readonly Partial<GasLimits>[]
): GasLimits {
  const ofChain: Partial<GasLimits> | undefined = findChainFacts(chainId)?.gasLimits;
  const given = [baseGasLimits, ofChain, own, ...changes];
  const last = (name: string) =>
    given.map((limits) => limits?.[name as keyof GasLimits]).findLast((value) => value !== undefined);
  return Object.fromEntries(Object.keys(gasLimits.shape).map((name) => [name, last(name)])) as GasLimits;
}
