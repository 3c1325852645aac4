import { yieldVaultAccountAbi } from '@yield-vault/contracts';
import { encodeFunctionData, type Address, type Hex } from 'viem';
import { moduleTypes, type ModuleType } from './module-types.js';

/** Encode the call with which an account takes a module out. It reverts when the module is not installed. */
export function encodeUninstallModule(type: ModuleType, module: Address): Hex {
  return encodeFunctionData({
    abi: yieldVaultAccountAbi,
    functionName: 'uninstallModule',
    args: [moduleTypes[type], module, '0x'],
  });
}
