import { decodeRevertReason, paymasterCharge, usdcPaymasterAbi } from '@yield-vault/contracts';
import { decodeGasGrant } from '@yield-vault/smart-account';
import { sameHex, totalGasLimit, type UserOperation } from '@yield-vault/protocol';
import { decodeFunctionResult, encodeFunctionData, erc20Abi } from 'viem';
import type { ForkChain } from '../types.js';
import { simulatedBundler } from './bundle-calls.js';
import type { SimulatedCall, SimulatedCallResult } from './types.js';

const gas = 1_000_000n;

/**
 * Find out why an account did not pay the prefund of our paymaster. The entry point reports only `AA34 signature error`, so
 * the grant is compared, and the transfer simulated alone.
 *
 * @param simulate - simulates one call
 * @returns the error of our account or the decoded reason of the token; `undefined` when the prefund did not fail, or the
 *   paymaster is not ours
 */
export async function explainPrefund(
  simulate: (call: SimulatedCall) => Promise<SimulatedCallResult | undefined>,
  { contracts: { paymaster }, paymaster: owner, usdc }: ForkChain,
  operation: UserOperation,
): Promise<string | undefined> {
  if (owner !== 'own' || !sameHex(operation.paymaster, paymaster)) return undefined;
  const { sender, maxFeePerGas, paymasterPostOpGasLimit = 0n, paymasterData = '0x' } = operation;
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
  if (prefund > (decodeGasGrant(paymasterData)?.maximum ?? 0n)) return 'GasPaymentRefused';
  const args = [paymaster, prefund] as const;
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args });
  const transfer = await simulate({ from: sender, to: usdc.address, data, gas });
  return transfer?.status === 'revert' ? decodeRevertReason(transfer.returnData) : undefined;
}
