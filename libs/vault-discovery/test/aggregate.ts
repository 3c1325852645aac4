import { type Address, decodeFunctionData, encodeFunctionResult, type Hex, multicall3Abi } from 'viem';

export interface MulticallRead {
  readonly target: Address;
  readonly callData: Hex;
}

/** Respond to a call of Multicall3 as it does. A read reverts with data, or without a response. */
export function aggregate(
  data: Hex,
  respond: (read: MulticallRead) => Hex | { readonly revertData: Hex } | undefined,
): Hex {
  const result = readsIn(data).map((read) => {
    const response = respond(read);
    if (typeof response === 'string') return { success: true, returnData: response };
    return { success: false, returnData: response?.revertData ?? '0x' };
  });
  return encodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', result });
}

/** The reads in a call of Multicall3. */
export const readsIn = (data: Hex) =>
  decodeFunctionData({ abi: multicall3Abi, data }).args![0] as readonly MulticallRead[];
