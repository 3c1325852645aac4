import { walletContracts, yieldRouterAbi } from '@yield-vault/contracts';
import { decodeFunctionData, encodeFunctionData, erc20Abi, type Address, type Hex } from 'viem';

/** A deposit or redeem through the router. Payer and receiver are the caller. */
export interface RouterOperation {
  readonly operation: 'deposit' | 'redeem';
  readonly vault: Address;
  /** The asset of the vault. */
  readonly token: Address;
  /** Base units that it spends: assets of a deposit, shares of a redeem. */
  readonly amount: bigint;
  /** Base units that it must bring: shares of a deposit, assets of a redeem. */
  readonly minOut: bigint;
}

/** A call of the wallet. It sends no ether. */
export interface RouterCall {
  readonly to: Address;
  readonly data: Hex;
}

/**
 * Encode the calls of a router operation: an allowance of exactly what it spends, then the operation.
 *
 * @param resetsAllowance - set the allowance to zero first: tokens like USDT do not change one that is left over
 * @param router - equal on every chain by default
 */
export function encodeRouterCalls(
  { operation, vault, token, amount, minOut }: RouterOperation,
  resetsAllowance: boolean,
  router: Address = walletContracts.router,
): readonly RouterCall[] {
  const spent = operation === 'deposit' ? token : vault;
  const approve = (allowance: bigint) => ({
    to: spent,
    data: encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [router, allowance] }),
  });
  const args = [vault, token, amount, minOut] as const;
  return [
    ...(resetsAllowance ? [approve(0n)] : []),
    approve(amount),
    { to: router, data: encodeFunctionData({ abi: yieldRouterAbi, functionName: operation, args }) },
  ];
}

/**
 * Read the operation of a call of the router. Encode it again and compare: other encodings decode to it, too.
 *
 * @returns `undefined` for any other call data
 */
export function decodeRouterCall(data: Hex): RouterOperation | undefined {
  try {
    const { functionName: operation, args } = decodeFunctionData({ abi: yieldRouterAbi, data });
    const [vault, token, amount, minOut] = args;
    return { operation, vault, token, amount, minOut };
  } catch {
    return undefined;
  }
}
