import { canonical, entryPointV08Abi } from '@yield-vault/contracts';
import { totalGasLimit, type UserOperation } from '@yield-vault/protocol';
import {
  decodeAbiParameters,
  decodeFunctionResult,
  encodeFunctionData,
  erc20Abi,
  getAddress,
  multicall3Abi,
  parseEther,
  parseGwei,
  size,
  stringToHex,
  type Address,
  type Hex,
} from 'viem';
import { toPackedUserOperation } from 'viem/account-abstraction';
import type { BalanceChange, SimulatedCall, SimulatedCallResult } from './types.js';

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
const balanceGas = 5_000_000n;

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

/** Build the call that reads a wallet's balance of ETH and of tokens, in this order. */
export function balanceCall(wallet: Address, tokens: readonly Address[]): SimulatedCall {
  const ofEth = encodeFunctionData({ abi: multicall3Abi, functionName: 'getEthBalance', args: [wallet] });
  const ofToken = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [wallet] });
  const reads = [
    { target: canonical.multicall3, allowFailure: true, callData: ofEth },
    ...tokens.map((target) => ({ target, allowFailure: true, callData: ofToken })),
  ];
  return {
    from: simulatedBundler,
    to: canonical.multicall3,
    data: encodeFunctionData({ abi: multicall3Abi, functionName: 'aggregate3', args: [reads] }),
    gas: balanceGas,
    maxFeePerGas,
  };
}

/**
 * Compare two results of `balanceCall`.
 *
 * @param tokens - as given to `balanceCall`
 * @returns the balances that changed, without tokens that report no balance
 */
export function balanceChanges(
  tokens: readonly Address[],
  before: SimulatedCallResult,
  after: SimulatedCallResult,
): readonly BalanceChange[] {
  const [first, last] = [readBalances(before), readBalances(after)];
  return [null, ...tokens].flatMap((token, index) => {
    const [was, is] = [first[index], last[index]];
    return was === undefined || is === undefined || was === is ? [] : [{ token, change: is - was }];
  });
}

function readBalances({ status, returnData }: SimulatedCallResult): readonly (bigint | undefined)[] {
  // A chain without Multicall3 returns nothing. The operation can be judged all the same.
  if (status !== 'success' || returnData === '0x') return [];
  const results = decodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', data: returnData });
  return results.map((result) => (result.success ? readAmount(result.returnData) : undefined));
}

function readAmount(data: Hex): bigint | undefined {
  return size(data) >= 32 ? decodeAbiParameters([{ type: 'uint256' }], data)[0] : undefined;
}
