import { decodeRevertReason, paymasterCharge, usdcPaymasterAbi } from '@yield-vault/contracts';
import { sameHex, totalGasLimit, type UserOperation } from '@yield-vault/protocol';
import { decodeFunctionResult, encodeFunctionData, erc20Abi } from 'viem';
import type { ForkChain } from '../types.js';
import { simulatedBundler } from './bundle-calls.js';
import type { SimulatedCall, SimulatedCallResult } from './types.js';

const gas = 1_000_000n;

/**
 * Find out why our paymaster could not take its prefund. The entry point reports only `AA34 signature error`, so the
 * transfer is simulated alone.
 *
 * @param simulate - simulates one call
 * @returns the decoded reason; `undefined` when the prefund did not fail, or the paymaster is not ours
 */
export async function explainPrefund(
  simulate: (call: SimulatedCall) => Promise<SimulatedCallResult | undefined>,
  { contracts: { paymaster }, paymaster: owner, usdc }: ForkChain,
  operation: UserOperation,
): Promise<string | undefined> {
  if (owner !== 'own' || !sameHex(operation.paymaster, paymaster)) return undefined;
  const { maxFeePerGas, paymasterPostOpGasLimit = 0n } = operation;
  const price = { abi: usdcPaymasterAbi, functionName: 'tokenPerNative' } as const;
  const response = await simulate({
    from: simulatedBundler,
    to: paymaster,
    data: encodeFunctionData(price),
    gas,
  });
  if (response?.status !== 'success') return undefined;
  const [tokenPerNative] = decodeFunctionResult({ ...price, data: response.returnData });
  const prefund = paymasterCharge({
    tokenPerNative,
    gas: totalGasLimit(operation),
    feePerGas: maxFeePerGas,
    postOpGasLimit: paymasterPostOpGasLimit,
  });
  const transfer = await simulate({
    from: paymaster,
    to: usdc.address,
    data: encodeFunctionData({
      abi: erc20Abi,
      functionName: 'transferFrom',
      args: [operation.sender, paymaster, prefund],
    }),
    gas,
  });
  return transfer?.status === 'revert' ? decodeRevertReason(transfer.returnData) : undefined;
}
