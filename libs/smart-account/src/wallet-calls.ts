import { yieldVaultAccountAbi } from '@yield-vault/contracts';
import {
  encodeAbiParameters,
  encodeFunctionData,
  erc20Abi,
  parseAbiParameters,
  type Address,
  type Hex,
} from 'viem';
import type { ApproveHook } from './executor-hook.js';

/** ERC-7579 types of the modules that our account has. */
export const moduleTypes = { validator: 1n, executor: 2n } as const;

export type ModuleType = keyof typeof moduleTypes;

/** Encode the call that a wallet sends to itself to install the default modules that were removed. */
export function encodeInitializeAccount(): Hex {
  return encodeFunctionData({ abi: yieldVaultAccountAbi, functionName: 'initializeAccount' });
}

// ERC-7579: several calls, all or none.
const batchMode = '0x0100000000000000000000000000000000000000000000000000000000000000';

/**
 * Encode the call that a wallet sends to itself where its paymaster needs an allowance: the modules, then the allowance.
 */
export function encodeInitializeAndApprove(
  wallet: Address,
  { token, spender, amount }: Omit<ApproveHook, 'hook'>,
): Hex {
  const approve = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [spender, amount] });
  const calls = encodeAbiParameters(parseAbiParameters('(address target, uint256 value, bytes data)[]'), [
    [
      { target: wallet, value: 0n, data: encodeInitializeAccount() },
      { target: token, value: 0n, data: approve },
    ],
  ]);
  return encodeFunctionData({ abi: yieldVaultAccountAbi, functionName: 'execute', args: [batchMode, calls] });
}
