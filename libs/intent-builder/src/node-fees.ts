import type { ActiveChain } from '@yield-vault/chains';
import { findChainFacts } from '@yield-vault/contracts';
import { parseAbi } from 'viem';
import type { NodeFees } from './types.js';

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
