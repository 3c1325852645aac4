import { erc20Abi, isAddressEqual, type Address, type ContractFunctionParameters, type Hex } from 'viem';
import { yieldVaultAccountAbi } from '@yield-vault/contracts';
import { InvalidParametersError } from '@yield-vault/protocol';
import { parseDelegation } from './delegation.js';
import { moduleTypes } from './module-types.js';

/** How far a wallet is set up for this service. */
export type WalletState =
  | { readonly kind: 'undelegated' }
  | { readonly kind: 'foreign-delegation'; readonly implementation: Address }
  | {
      readonly kind: 'modules-missing';
      readonly implementation: Address;
      readonly validatorInstalled: boolean;
      readonly executorInstalled: boolean;
    }
  | {
      readonly kind: 'configured';
      readonly implementation: Address;
      /** Base units of USDC. */
      readonly paymasterAllowance: bigint;
    };

/** The contracts that a wallet's state is judged by. */
export interface SmartAccountContracts {
  readonly account: Address;
  readonly validator: Address;
  readonly executor: Address;
  readonly paymaster: Address;
  readonly usdc: Address;
  readonly entryPoint: Address;
  readonly chainId: number;
}

/** What the calls of `walletStateCalls` answered; `undefined` where one failed. */
export interface WalletReads {
  readonly validatorInstalled: boolean | undefined;
  readonly executorInstalled: boolean | undefined;
  /** Base units of USDC. */
  readonly paymasterAllowance: bigint | undefined;
}

/**
 * List the calls that `interpretWalletState` needs besides the wallet's code, in the order of `WalletReads`, for a
 * batch of the caller's own. The first two fail or answer nonsense on a wallet without our delegation.
 */
export function walletStateCalls(contracts: SmartAccountContracts, wallet: Address) {
  const { validator, executor, paymaster, usdc } = contracts;
  const account = { address: wallet, abi: yieldVaultAccountAbi } as const;
  return [
    { ...account, functionName: 'isModuleInstalled', args: [moduleTypes.validator, validator, '0x'] },
    { ...account, functionName: 'isModuleInstalled', args: [moduleTypes.executor, executor, '0x'] },
    { address: usdc, abi: erc20Abi, functionName: 'allowance', args: [wallet, paymaster] },
  ] as const satisfies readonly ContractFunctionParameters[];
}

/**
 * Judge a wallet by its code and the answers of `walletStateCalls`.
 *
 * @param code - `undefined` and `0x` for none
 * @throws {InvalidParametersError} when the address is a contract, which has no key to sign with
 */
export function interpretWalletState(
  contracts: Pick<SmartAccountContracts, 'account'>,
  code: Hex | undefined,
  reads: WalletReads,
): WalletState {
  if (code === undefined || code === '0x') return { kind: 'undelegated' };
  const implementation = parseDelegation(code);
  if (implementation === undefined) throw contractWallet();
  if (!isAddressEqual(implementation, contracts.account))
    return { kind: 'foreign-delegation', implementation };

  const validatorInstalled = reads.validatorInstalled ?? false;
  const executorInstalled = reads.executorInstalled ?? false;
  if (!validatorInstalled || !executorInstalled) {
    return { kind: 'modules-missing', implementation, validatorInstalled, executorInstalled };
  }
  return { kind: 'configured', implementation, paymasterAllowance: reads.paymasterAllowance ?? 0n };
}

function contractWallet(): InvalidParametersError {
  const message = 'is a contract; an externally owned account is needed';
  return new InvalidParametersError({
    detail: `agentAddress: ${message}.`,
    details: { violations: [{ field: 'agentAddress', message }] },
  });
}
