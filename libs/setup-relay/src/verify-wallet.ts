import type { SetupTicket } from '@yield-vault/protocol';
import { readWalletState, type WalletState } from '@yield-vault/smart-account';
import type { Address } from 'viem';
import { readFromWalletNode, transactionRejected } from './errors.js';
import type { SetupChain } from './ports.js';

/**
 * Check on chain that the wallet is delegated to the implementation, has both default modules, and allows the paymaster
 * USDC where it takes some.
 *
 * @param allowance - that the setup granted, in base units of USDC
 * @param blockNumber - the block to read, default the latest: the latest of another node may be older than a fresh setup
 * @returns the implementation in the code of the wallet
 * @throws {SetupTransactionRejectedError} when the delegation, a module or the allowance is missing
 * @throws {UpstreamUnavailableError} when the node does not respond, or lacks the block
 */
export async function verifyWallet(
  chain: SetupChain,
  ticket: SetupTicket,
  allowance: bigint,
  blockNumber?: bigint,
): Promise<Address> {
  const state = await readFromWalletNode(chain, readWallet(chain, ticket.walletAddress, blockNumber));
  const prepareAgain = { nextAction: 'Call prepare again: it returns the setup that is still missing.' };
  switch (state.kind) {
    case 'configured':
      if (allowance === 0n || state.paymasterAllowance > 0n) return state.implementation;
      throw transactionRejected(
        'modules-verified',
        'The transaction succeeded but the paymaster has no USDC allowance.',
        prepareAgain,
      );
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

/** Read how far a wallet is set up; the latest block by default. */
export function readWallet(chain: SetupChain, wallet: Address, blockNumber?: bigint): Promise<WalletState> {
  const { contracts, usdc, entryPoint, chainId } = chain;
  return readWalletState(chain.rpc, { ...contracts, usdc, entryPoint, chainId }, wallet, blockNumber);
}
