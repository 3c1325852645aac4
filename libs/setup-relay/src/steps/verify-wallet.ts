import type { SetupTicket } from '@yield-vault/protocol';
import { readWalletState } from '@yield-vault/smart-account';
import type { Address } from 'viem';
import { transactionRejected } from '../errors.js';
import type { SetupChain } from '../ports.js';
import { asDependencyError } from './as-dependency-error.js';

/**
 * Read from the chain that the wallet is delegated to the implementation and has both modules.
 *
 * @returns the implementation that the code of the wallet names
 * @throws {SetupTransactionRejectedError} when the delegation or a module is missing, success of the receipt or not
 * @throws {UpstreamUnavailableError} when the node does not answer
 */
export async function verifyWallet(chain: SetupChain, ticket: SetupTicket): Promise<Address> {
  const contracts = {
    ...chain.contracts,
    usdc: chain.usdc,
    entryPoint: chain.entryPoint,
    chainId: chain.chainId,
  };
  const state = await readWalletState(chain.rpc, contracts, ticket.walletAddress).catch((error: unknown) => {
    throw asDependencyError(error, chain);
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
