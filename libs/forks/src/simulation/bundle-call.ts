import { entryPointV08Abi } from '@yield-vault/contracts';
import { totalGasLimit, type UserOperation } from '@yield-vault/protocol';
import { encodeFunctionData, getAddress, parseEther, parseGwei, stringToHex, type Address } from 'viem';
import { toPackedUserOperation } from 'viem/account-abstraction';
import type { SimulatedCall, StateOverride } from '../types.js';

/** Sends simulated bundles and takes what the entry point refunds. Words, not a key: nobody has it, and it has no code. */
export const simulatedBundler = getAddress(stringToHex('yieldvault.preflight'));

/** Funds of the simulated bundler, whatever it has on chain. */
export const bundlerFunds: StateOverride = { balance: parseEther('1000000') };

// What the transaction costs beside the limits of the operation: intrinsic gas, call data, the entry point's own work.
const overheadGas = 150_000n;
/** Above any base fee that was ever seen, so that the price is base fee plus priority fee. */
export const bundlerFeeCap = parseGwei('100000');

/**
 * Build the transaction with which a bundler sends one operation alone: `handleOps`, at the gas price that the block
 * and the operation's priority fee make.
 *
 * The entry point passes every limit of the operation on as it is signed, so gas beyond what it asks for changes
 * nothing. Bundlers send at least that much; a little more is given here, because refusing an operation for what a
 * bundler might save would be wrong.
 */
export function bundleCall(entryPoint: Address, operation: UserOperation): SimulatedCall {
  const limits = totalGasLimit(operation);
  const { maxPriorityFeePerGas } = operation;
  return {
    from: simulatedBundler,
    to: entryPoint,
    data: encodeFunctionData({
      abi: entryPointV08Abi,
      functionName: 'handleOps',
      args: [[toPackedUserOperation(operation)], simulatedBundler],
    }),
    gas: limits + limits / 16n + overheadGas,
    maxFeePerGas: bundlerFeeCap,
    maxPriorityFeePerGas: maxPriorityFeePerGas < bundlerFeeCap ? maxPriorityFeePerGas : bundlerFeeCap,
  };
}
