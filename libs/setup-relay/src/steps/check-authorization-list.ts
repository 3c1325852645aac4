import { isLowS, sameHex, type SetupTicket } from '@yield-vault/protocol';
import { recoverAuthorizationAddress } from 'viem/utils';
import { transactionRejected } from '../errors.js';
import type { SetupChain } from '../ports.js';
import type { SetupTransaction } from '../types.js';

/**
 * Check that a type-4 transaction carries exactly the authorization that delegates the wallet to the
 * implementation, on this chain only. The chain skips an invalid one silently, so it is refused here.
 *
 * @throws {SetupTransactionRejectedError} when it carries none, several, or another
 */
export async function checkAuthorizationList(
  transaction: SetupTransaction,
  ticket: SetupTicket,
  chain: SetupChain,
): Promise<void> {
  const refuse = (detail: string) => transactionRejected('auth-list-valid', detail);
  const [authorization, ...others] = transaction.authorizationList;
  if (!authorization || others.length > 0) throw refuse('The authorization list has exactly one entry.');
  if (!sameHex(authorization.address, chain.contracts.account)) {
    throw refuse('The authorization delegates to another implementation.');
  }
  if (authorization.chainId !== chain.chainId) {
    // Chain id 0 would delegate the wallet on every chain.
    throw refuse(`The authorization is for chain ${authorization.chainId}, not for ${chain.chainId}.`);
  }
  if (authorization.nonce !== transaction.nonce + 1) {
    throw refuse('The nonce of the authorization is that of the transaction plus one.');
  }
  if (!isLowS(authorization.s)) throw refuse('The signature of the authorization is malleable.');
  const signer = await recoverAuthorizationAddress({ authorization }).catch(() => undefined);
  if (!sameHex(signer, ticket.walletAddress)) {
    throw refuse('The authorization is not signed by the wallet of the ticket.');
  }
}
