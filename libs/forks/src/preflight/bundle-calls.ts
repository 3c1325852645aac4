import { entryPointV08Abi } from '@yield-vault/contracts';
import { totalGasLimit, type UserOperation } from '@yield-vault/protocol';
import { encodeFunctionData, getAddress, parseEther, parseGwei, stringToHex, type Address } from 'viem';
import { toPackedUserOperation } from 'viem/account-abstraction';
import type { SimulatedCall } from './types.js';

/** Sends simulated bundles and receives the entry point's refund. Nobody has its key, and it has no code. */
export const simulatedBundler = getAddress(stringToHex('yieldvault.preflight'));

/** Balance of the simulated bundler, which pays for the gas of a bundle. */
export const bundlerBalance = parseEther('1000000');

// Gas of the transaction beside the limits of the operation: intrinsic gas, call data, the entry point's own work.
const overheadGas = 150_000n;
// No node stops a simulation whose caller has gone.
const maxGas = 30_000_000n;
// Above any base fee, so that the gas price is base fee plus priority fee.
const maxFeePerGas = parseGwei('100000');

/**
 * Build the transaction with which a bundler sends one operation alone: `handleOps`, at the base fee of the block plus
 * the operation's priority fee. The entry point passes the signed limits on, so spare gas changes nothing.
 */
export function bundleCall(entryPoint: Address, operation: UserOperation): SimulatedCall {
  const limits = totalGasLimit(operation);
  const gas = limits + limits / 16n + overheadGas;
  const { maxPriorityFeePerGas: priority } = operation;
  return {
    from: simulatedBundler,
    to: entryPoint,
    data: encodeFunctionData({
      abi: entryPointV08Abi,
      functionName: 'handleOps',
      args: [[toPackedUserOperation(operation)], simulatedBundler],
    }),
    gas: gas < maxGas ? gas : maxGas,
    maxFeePerGas,
    maxPriorityFeePerGas: priority < maxFeePerGas ? priority : maxFeePerGas,
  };
}
