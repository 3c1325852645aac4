import type { Address, PublicClient } from 'viem';
import {
  interpretWalletState,
  walletStateCalls,
  type SmartAccountContracts,
  type WalletState,
} from './wallet-state.js';

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
