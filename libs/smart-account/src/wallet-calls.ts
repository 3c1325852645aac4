import { yieldVaultAccountAbi } from '@yield-vault/contracts';
import { sameHex } from '@yield-vault/protocol';
import {
  encodeAbiParameters,
  encodeFunctionData,
  erc20Abi,
  getAddress,
  hexToBigInt,
  parseAbiParameters,
  size,
  slice,
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

/** A call that a wallet makes. */
export interface WalletCall {
  readonly to: Address;
  /** Wei; 0 by default. */
  readonly value?: bigint | undefined;
  readonly data?: Hex | undefined;
}

/** Encode calls for `execute` of our account: all of them are made, or none. */
export function encodeWalletCalls(calls: readonly WalletCall[]): Hex {
  const batch = encodeAbiParameters(parseAbiParameters('(address, uint256, bytes)[]'), [
    calls.map(({ to, value = 0n, data = '0x' }) => [to, value, data] as const),
  ]);
  return encodeFunctionData({ abi: yieldVaultAccountAbi, functionName: 'execute', args: [batchMode, batch] });
}

/**
 * Encode the call that a wallet sends to itself where its paymaster needs an allowance: the modules, then the allowance.
 */
export function encodeInitializeAndApprove(
  wallet: Address,
  { token, spender, amount }: Omit<ApproveHook, 'hook'>,
): Hex {
  const approve = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [spender, amount] });
  return encodeWalletCalls([
    { to: wallet, data: encodeInitializeAccount() },
    { to: token, data: approve },
  ]);
}

// The encoding has one length, and its values have fixed places.
const callBytes = 612;

/**
 * Read what `encodeInitializeAndApprove` encoded for a wallet.
 *
 * @returns `undefined` for anything else, and for any other encoding of the same
 */
export function decodeInitializeAndApprove(
  wallet: Address,
  data: Hex,
): Omit<ApproveHook, 'hook'> | undefined {
  if (size(data) !== callBytes) return undefined;
  const approval = {
    token: getAddress(slice(data, 400, 420)),
    spender: getAddress(slice(data, 532, 552)),
    amount: hexToBigInt(slice(data, 552, 584)),
  };
  return sameHex(encodeInitializeAndApprove(wallet, approval), data) ? approval : undefined;
}
