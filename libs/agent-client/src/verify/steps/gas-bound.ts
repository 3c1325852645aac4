import { postOpPenaltyThreshold } from '@yield-vault/contracts';
import { entryPointVersionOf, totalGasLimit, type UserOperation } from '@yield-vault/protocol';
import type { Address } from 'viem';
import type { BookDeployment } from '../types.js';

const weiPerEther = 10n ** 18n;
const basisPoints = 10_000n;
const penaltyDivisor = 10n;

/**
 * Compute the most that an operation costs: in wei, which its own fields bound, and in base units of USDC while an
 * ether costs `maxEthUsd` dollars at most.
 */
export function gasBound(
  operation: UserOperation,
  { entryPoint, paymaster: { extraGas, maxMarkupBps } }: BookDeployment,
  maxEthUsd: number,
): { maxWei: bigint; maxUsdc: bigint } {
  const gas = totalGasLimit(operation) + extraGas + penaltyOf(operation, entryPoint);
  const maxWei = gas * operation.maxFeePerGas;
  const cents = BigInt(Math.ceil(maxEthUsd * 100));
  // A cent is 1e4 base units of USDC, a basis point the 1e4th part: they cancel. Paymasters round up, some twice.
  const maxUsdc = (maxWei * cents * (basisPoints + BigInt(maxMarkupBps))) / weiPerEther + 2n;
  return { maxWei, maxUsdc };
}

// What a paymaster adds for the tenth of unused gas that the entry point keeps, which it cannot see: v0.7 keeps it of
// the call as well, and of little.
function penaltyOf(
  { callGasLimit, paymasterPostOpGasLimit = 0n }: UserOperation,
  entryPoint: Address,
): bigint {
  const postOp = paymasterPostOpGasLimit / penaltyDivisor;
  if (entryPointVersionOf(entryPoint) === '0.7') return callGasLimit / penaltyDivisor + postOp;
  return paymasterPostOpGasLimit > postOpPenaltyThreshold ? postOp : 0n;
}
