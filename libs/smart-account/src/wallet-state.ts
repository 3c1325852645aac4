import { yieldVaultAccountAbi } from '@yield-vault/contracts';
import { invalidParameters, type InvalidParametersError } from '@yield-vault/protocol';
import {
  concat,
  erc20Abi,
  getAddress,
  isAddressEqual,
  size,
  slice,
  type Address,
  type ContractFunctionParameters,
  type Hex,
  type PublicClient,
} from 'viem';
import { moduleTypes } from './wallet-calls.js';

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

/** The contracts against which a wallet's state is checked. */
export interface SmartAccountContracts {
  readonly account: Address;
  readonly validator: Address;
  readonly executor: Address;
  readonly paymaster: Address;
  readonly usdc: Address;
  readonly entryPoint: Address;
  readonly chainId: number;
}

/** Results of the calls of `walletStateCalls`; `undefined` for one that failed. */
export interface WalletReads {
  readonly validatorInstalled: boolean | undefined;
  readonly executorInstalled: boolean | undefined;
  /** Base units of USDC. */
  readonly paymasterAllowance: bigint | undefined;
}

/**
 * List the calls that `interpretWalletState` needs besides the wallet's code, in the order of `WalletReads`, for your
 * own batch. The first two fail or return nonsense on a wallet without our delegation.
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
 * Derive the state of a wallet from its code and the results of `walletStateCalls`.
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
  const nextAction = 'Deposit and redeem with this wallet by GET /v1/yield/calls.';
  return invalidParameters([{ field: 'agentAddress', message }], nextAction);
}

/**
 * Read how far a wallet is set up, in one round trip where the client batches JSON-RPC.
 *
 * @param blockNumber - default the latest block
 * @throws {InvalidParametersError} when the address is a contract
 */
export async function readWalletState(
  rpc: Pick<PublicClient, 'getCode' | 'multicall'>,
  contracts: SmartAccountContracts,
  wallet: Address,
  blockNumber?: bigint,
): Promise<WalletState> {
  const [code, [validator, executor, allowance]] = await Promise.all([
    rpc.getCode({ address: wallet, blockNumber }),
    // On a wallet without our delegation these calls fail by themselves, which must not fail the read.
    rpc.multicall({ contracts: walletStateCalls(contracts, wallet), blockNumber, allowFailure: true }),
  ]);
  const state = interpretWalletState(contracts, code, {
    validatorInstalled: validator.result,
    executorInstalled: executor.result,
    paymasterAllowance: allowance.result,
  });
  const isOurs = state.kind === 'configured' || state.kind === 'modules-missing';
  if (isOurs && allowance.status === 'failure') throw allowance.error;
  return state;
}

const delegationPrefix = '0xef0100';
const designatorBytes = 23;

/** The code of an externally owned account that delegates to an implementation (EIP-7702). */
export function delegationCode(implementation: Address): Hex {
  return concat([delegationPrefix, implementation]).toLowerCase() as Hex;
}

/** Read the implementation out of a delegation; `undefined` for any other code. */
export function parseDelegation(code: Hex): Address | undefined {
  if (size(code) !== designatorBytes || slice(code, 0, 3).toLowerCase() !== delegationPrefix)
    return undefined;
  return getAddress(slice(code, 3));
}
