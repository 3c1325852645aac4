import { postOpPenaltyThreshold } from '@yield-vault/contracts';
import { totalGasLimit, type UserOperation } from '@yield-vault/protocol';
import type { BookPaymaster } from '../types.js';

const weiPerEther = 10n ** 18n;
const basisPoints = 10_000n;

/**
 * Compute the most that an operation costs: in wei, which its own fields bound, and in base units of USDC while an
 * ether costs `maxEthUsd` dollars at most.
 */
export function gasBound(
  operation: UserOperation,
  { extraGas, maxMarkupBps }: BookPaymaster,
  maxEthUsd: number,
): { maxWei: bigint; maxUsdc: bigint } {
  const postOp = operation.paymasterPostOpGasLimit ?? 0n;
  const penalty = postOp > postOpPenaltyThreshold ? postOp / 10n : 0n;
  const maxWei = (totalGasLimit(operation) + extraGas + penalty) * operation.maxFeePerGas;
  const cents = BigInt(Math.ceil(maxEthUsd * 100));
  // A cent is 1e4 base units of USDC, a basis point the 1e4th part: they cancel. Paymasters round up, some twice.
  const maxUsdc = (maxWei * cents * (basisPoints + BigInt(maxMarkupBps))) / weiPerEther + 2n;
  return { maxWei, maxUsdc };
}
