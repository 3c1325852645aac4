import type { ActiveChain } from '@yield-vault/chains';
import { findChainFacts } from '@yield-vault/contracts';
import { usdcDecimals, type Operation, type RankedVault, type Vault } from '@yield-vault/protocol';
import { parseAbi } from 'viem';
import { isRanked } from '../request.js';
import type { NodeFees } from '../types.js';
import type { PaymasterTerms } from '../paymasters/types.js';

// Charged gas outside of the vaults and the paymaster's postOp. Measured: a first deposit takes 12k more, a later one 22k less. A
// setup is the transaction of a wallet that delegates.
const overheadGas = { setup: 37_000, deposit: 143_000, redeem: 151_000, rebalance: 171_000 } as const;
// Of a vault without a measurement: between one that keeps its assets and one that lends them to several markets.
const typicalGas = { deposit: 150_000, redeem: 100_000 } as const;
const l1FeeAbi = parseAbi(['function getL1FeeUpperBound(uint256) view returns (uint256)']);
// A transaction of a bundler with one operation.
const bundleBytes = 1_500n;

/** Read the present fees of a chain. viem's own estimate would make a second round trip after the first. */
export async function readFees({ rpc, chainId }: ActiveChain): Promise<NodeFees> {
  const address = findChainFacts(chainId)?.l1FeeOracle;
  const l1Fee = { abi: l1FeeAbi, functionName: 'getL1FeeUpperBound', args: [bundleBytes] } as const;
  const [{ baseFeePerGas }, maxPriorityFeePerGas, l1FeeWei] = await Promise.all([
    rpc.getFeeHistory({ blockCount: 1, rewardPercentiles: [] }),
    rpc.estimateMaxPriorityFeePerGas(),
    // A local chain lacks the contract.
    address ? rpc.readContract({ ...l1Fee, address }).catch(() => 0n) : 0n,
  ]);
  // The last entry belongs to the next block.
  const baseFee = baseFeePerGas.at(-1) ?? 0n;
  return {
    maxFeePerGas: (baseFee * 12n) / 10n + maxPriorityFeePerGas,
    maxPriorityFeePerGas,
    presentFeePerGas: baseFee + maxPriorityFeePerGas,
    l1FeeWei,
  };
}

/** Make the pricer of operations that no bundler has estimated, at the present fees. Charges are base units of USDC. */
export function createPricer(terms: PaymasterTerms, { presentFeePerGas: feePerGas, l1FeeWei }: NodeFees) {
  const charge = (gas: number) => terms.charge({ gas: BigInt(gas), feePerGas, postOpGasLimit: 0n });
  const l1Gas = feePerGas > 0n ? Number(l1FeeWei / feePerGas) : 0;
  return {
    /** The wallet pays for it in ether, or its first operation costs about as much more. */
    setup: charge(overheadGas.setup) - charge(0),
    /** @param source - the vault that a redeem or rebalance leaves; @param target - the vault that it enters */
    priceOf: (kind: Operation, source: Vault | undefined, target?: Vault) =>
      charge(overheadGas[kind] + l1Gas + gasOf('redeem', source) + gasOf('deposit', target)),
  };
}

/** One USDC counts as one USD. */
export const toUsd = (usdcBaseUnits: bigint): number => Number(usdcBaseUnits) / 10 ** usdcDecimals;

/** Gas that a deposit or redeem takes inside a vault. */
export function gasOf(part: 'deposit' | 'redeem', vault: Vault | RankedVault | undefined): number {
  if (!vault) return 0;
  return (isRanked(vault) && vault.gas[part]) || typicalGas[part];
}
