import { decodeFunctionResult, encodeFunctionData, parseAbi, type Hex } from 'viem';
import type { SetupChain } from '../ports.js';

/** A predeploy of every chain of the OP stack. */
export const gasPriceOracle = '0x420000000000000000000000000000000000000F';
const getL1Fee = {
  abi: parseAbi(['function getL1Fee(bytes unsigned) view returns (uint256)']),
  functionName: 'getL1Fee',
} as const;

/**
 * Read what a chain of the OP stack takes for publishing a transaction on L1, beside its gas and bounded by nothing
 * that is signed.
 *
 * @returns wei; 0 on other chains, which have no contract that says it
 */
export async function readL1Fee({ rpc }: Pick<SetupChain, 'rpc'>, unsigned: Hex): Promise<bigint> {
  const { data } = await rpc.call({
    to: gasPriceOracle,
    data: encodeFunctionData({ ...getL1Fee, args: [unsigned] }),
  });
  return data === undefined ? 0n : decodeFunctionResult({ ...getL1Fee, data });
}
