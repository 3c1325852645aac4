import { canonical } from '@yield-vault/contracts';
import {
  decodeAbiParameters,
  decodeFunctionResult,
  encodeFunctionData,
  erc20Abi,
  multicall3Abi,
  size,
  type Address,
  type Hex,
} from 'viem';
import type { BalanceChange, SimulatedCall, SimulatedCallResult } from '../types.js';
import { bundlerFeeCap, simulatedBundler } from './bundle-call.js';

const readGas = 5_000_000n;

/** Build the call that reads what a wallet holds of ETH and of tokens, in this order, all at once. */
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
    gas: readGas,
    maxFeePerGas: bundlerFeeCap,
  };
}

/**
 * Compare two readings.
 *
 * @param tokens - as given to `balanceCall`
 * @returns what changed; a token that does not tell its balances is left out
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
  // A chain without Multicall3 answers with nothing: the operation can be judged all the same.
  if (status !== 'success' || returnData === '0x') return [];
  const results = decodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', data: returnData });
  return results.map((result) => (result.success ? readAmount(result.returnData) : undefined));
}

function readAmount(data: Hex): bigint | undefined {
  return size(data) >= 32 ? decodeAbiParameters([{ type: 'uint256' }], data)[0] : undefined;
}
