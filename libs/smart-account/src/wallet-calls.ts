import { yieldVaultAccountAbi } from '@yield-vault/contracts';
import { encodeFunctionData, type Address, type Hex } from 'viem';

/** ERC-7579 types of the modules that our account has. */
export const moduleTypes = { validator: 1n, executor: 2n } as const;

export type ModuleType = keyof typeof moduleTypes;

/** The allowance of a wallet's setup. */
export interface InitializeAccountArgs {
  /** The token in which the paymaster is paid. */
  readonly token: Address;
  readonly paymaster: Address;
  /** Exact allowance of the paymaster, in base units of `token`. */
  readonly allowance: bigint;
}

/**
 * Encode the call that a wallet sends to itself: it installs the default modules that were removed, and sets the
 * allowance; the same for both setup types.
 */
export function encodeInitializeAccount(args: InitializeAccountArgs): Hex {
  const { token, paymaster, allowance } = args;
  return encodeFunctionData({
    abi: yieldVaultAccountAbi,
    functionName: 'initializeAccount',
    args: [token, paymaster, allowance],
  });
}
