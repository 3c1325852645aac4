import {
  type Abi,
  type Address,
  type ContractFunctionArgs,
  type ContractFunctionName,
  type ContractFunctionReturnType,
  type Hex,
  type PublicClient,
  encodeFunctionData,
} from 'viem';

type View = 'pure' | 'view';
type Change = 'nonpayable' | 'payable';

/** Encode a call. */
export const encode = <const A extends Abi, N extends ContractFunctionName<A>>(
  abi: A,
  functionName: N,
  args?: ContractFunctionArgs<A, View | Change, N>,
): Hex => encodeFunctionData({ abi, functionName, args } as never);

/** Reads a contract in the latest block. */
export type Read = <const A extends Abi, N extends ContractFunctionName<A, View>>(
  address: Address,
  abi: A,
  functionName: N,
  args?: ContractFunctionArgs<A, View, N>,
) => Promise<ContractFunctionReturnType<A, View, N>>;

/** Make the short form of `readContract`. */
export const reading =
  (client: Pick<PublicClient, 'readContract'>): Read =>
  (address, abi, functionName, args) =>
    client.readContract({ address, abi, functionName, args } as never) as never;
