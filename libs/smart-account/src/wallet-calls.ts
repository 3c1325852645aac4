import { yieldVaultAccountAbi } from '@yield-vault/contracts';
import { encodeFunctionData, type Address, type Hex } from 'viem';

/** ERC-7579 types of the modules that our account has. */
export const moduleTypes = { validator: 1n, executor: 2n } as const;

export type ModuleType = keyof typeof moduleTypes;

/** Modules and allowances of a wallet's setup. */
export interface InitializeAccountArgs {
  readonly validator: Address;
  readonly executor: Address;
  /** The token in which the paymaster is paid. */
  readonly token: Address;
  readonly paymaster: Address;
  /** Exact allowance of the paymaster, in base units of `token`. */
  readonly allowance: bigint;
}

/** Encode the call that a wallet sends to itself to install its modules; the same for both setup types. */
export function encodeInitializeAccount(args: InitializeAccountArgs): Hex {
  const { validator, executor, token, paymaster, allowance } = args;
  return encodeFunctionData({
    abi: yieldVaultAccountAbi,
    functionName: 'initializeAccount',
    args: [validator, executor, token, paymaster, allowance],
  });
}
