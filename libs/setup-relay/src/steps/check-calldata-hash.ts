import { paymasterAllowance } from '@yield-vault/chains';
import { sameHex, type SetupTicket } from '@yield-vault/protocol';
import { encodeInitializeAccount } from '@yield-vault/smart-account';
import { keccak256 } from 'viem';
import { ticketRejected, transactionRejected } from '../errors.js';
import type { SetupChain } from '../ports.js';
import type { SetupTransaction } from '../types.js';

/**
 * Check ticket and transaction against the setup call data of this deployment, computed anew.
 *
 * @param allowanceUsdc - what a paymaster that takes USDC may take, in base units
 * @throws {SetupTicketRejectedError} when the ticket's hash is another
 * @throws {SetupTransactionRejectedError} when the transaction carries other call data
 */
export function checkCalldataHash(
  transaction: SetupTransaction,
  ticket: SetupTicket,
  chain: SetupChain,
  allowanceUsdc: bigint,
): void {
  const { validator, executor, paymaster } = chain.contracts;
  const expected = keccak256(
    encodeInitializeAccount({
      validator,
      executor,
      token: chain.usdc,
      paymaster,
      allowance: paymasterAllowance(chain, allowanceUsdc),
    }),
  );
  if (!sameHex(ticket.initCalldataHash, expected)) {
    throw ticketRejected('calldata-hash-match', 'The ticket is not for the setup of this deployment.');
  }
  if (keccak256(transaction.data) !== expected) {
    throw transactionRejected('calldata-hash-match', 'The transaction does not carry the setup call data.');
  }
}
