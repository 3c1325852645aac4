import type { SetupTicket } from '@yield-vault/protocol';
import { readWalletState } from '@yield-vault/smart-account';
import type { Address } from 'viem';
import { transactionRejected } from '../errors.js';
import type { SetupChain } from '../ports.js';
import { asReadFailure } from './as-read-failure.js';

/**
 * Read from the chain that the wallet is delegated to the implementation and has both modules.
 *
 * @param blockNumber - of the state to read, default the latest: that of another node may be older than a fresh setup
 * @returns the implementation that the code of the wallet names
 * @throws {SetupTransactionRejectedError} when the delegation or a module is missing, success of the receipt or not
 * @throws {UpstreamUnavailableError} when the node does not answer, or lacks the block
 */
export async function verifyWallet(
  chain: SetupChain,
  ticket: SetupTicket,
  blockNumber?: bigint,
): Promise<Address> {
  const contracts = {
    ...chain.contracts,
    usdc: chain.usdc,
    entryPoint: chain.entryPoint,
    chainId: chain.chainId,
  };
  const wallet = ticket.walletAddress;
  const state = await readWalletState(chain.rpc, contracts, wallet, blockNumber).catch((error: unknown) => {
    throw asReadFailure(error, chain);
  });
  const prepareAgain = { nextAction: 'Call prepare again: it returns the setup that is still missing.' };
  switch (state.kind) {
    case 'configured':
      return state.implementation;
    case 'modules-missing':
      throw transactionRejected(
        'modules-verified',
        'The transaction succeeded but a module is not installed.',
        prepareAgain,
      );
    default:
      throw transactionRejected(
        'delegation-verified',
        'The transaction succeeded but the wallet is not delegated to the implementation.',
        prepareAgain,
      );
  }
}
