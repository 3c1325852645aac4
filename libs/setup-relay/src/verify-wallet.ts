import type { SetupTicket } from '@yield-vault/protocol';
import { readWalletState } from '@yield-vault/smart-account';
import type { Address } from 'viem';
import { fromNode, transactionRejected } from './errors.js';
import type { SetupChain } from './ports.js';

/**
 * Check on chain that the wallet is delegated to the implementation and has both modules.
 *
 * @param blockNumber - the block to read, default the latest: the latest of another node may be older than a fresh setup
 * @returns the implementation in the code of the wallet
 * @throws {SetupTransactionRejectedError} when the delegation or a module is missing
 * @throws {UpstreamUnavailableError} when the node does not respond, or lacks the block
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
  const state = await fromNode(chain, readWalletState(chain.rpc, contracts, wallet, blockNumber));
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
