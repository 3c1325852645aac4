import { decodeRevertReason, usdcPaymasterAbi } from '@yield-vault/contracts';
import { entryPointVersionOf, sameHex, totalGasLimit, type UserOperation } from '@yield-vault/protocol';
import { decodeFunctionResult, encodeFunctionData, erc20Abi } from 'viem';
import type { EphemeralFork, ForkChain, SimulatedCall, SimulatedCallResult } from '../types.js';
import { simulatedBundler } from './bundle-call.js';

const callGas = 1_000_000n;

/**
 * Find out why our paymaster could not take its prefund. It may not revert in validation, so the entry point only
 * says `AA34 signature error`; the transfer that failed, tried by itself, says more.
 *
 * @returns the decoded reason; `undefined` when the prefund is not what failed, or the paymaster is not ours
 */
export async function explainPrefund(
  fork: Pick<EphemeralFork, 'simulate'>,
  { contracts: { paymaster }, paymaster: whose, entryPoint, usdc }: ForkChain,
  operation: UserOperation,
): Promise<string | undefined> {
  if (whose !== 'own' || !sameHex(operation.paymaster, paymaster)) return undefined;
  const { maxFeePerGas, callGasLimit, paymasterPostOpGasLimit = 0n } = operation;
  // All that the entry point may penalise: v0.7 does so for the call too, after the paymaster was asked.
  const isV07 = entryPointVersionOf(entryPoint) === '0.7';
  const penalisedGas = isV07 ? callGasLimit + paymasterPostOpGasLimit : paymasterPostOpGasLimit;
  const quoted = await runAlone(fork, {
    from: simulatedBundler,
    to: paymaster,
    data: encodeFunctionData({
      abi: usdcPaymasterAbi,
      functionName: 'quote',
      args: [totalGasLimit(operation) * maxFeePerGas, maxFeePerGas, penalisedGas],
    }),
  });
  if (quoted?.status !== 'success') return undefined;
  const [prefund] = decodeFunctionResult({
    abi: usdcPaymasterAbi,
    functionName: 'quote',
    data: quoted.returnData,
  });
  const moved = await runAlone(fork, {
    from: paymaster,
    to: usdc.address,
    data: encodeFunctionData({
      abi: erc20Abi,
      functionName: 'transferFrom',
      args: [operation.sender, paymaster, prefund],
    }),
  });
  return moved?.status === 'revert' ? decodeRevertReason(moved.returnData) : undefined;
}

async function runAlone(
  fork: Pick<EphemeralFork, 'simulate'>,
  call: SimulatedCall,
): Promise<SimulatedCallResult | undefined> {
  const { calls } = await fork.simulate({ calls: [{ ...call, gas: callGas }] });
  return calls[0];
}
