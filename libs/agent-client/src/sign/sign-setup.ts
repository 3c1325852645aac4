import type { Hex } from 'viem';
import type { VerifiedSetup } from '../verify/verify-setup.js';
import { signTransaction } from './sign-transaction.js';
import type { AgentSigner } from './signer.js';

/**
 * Sign a setup that `verifySetup` accepted.
 *
 * @param verified Its result: the verification built the signed payload, not the service.
 * @param nonce The next nonce of the wallet.
 * @returns The raw transaction for setup-relay.
 * @throws {UnsupportedSignerError} When the signer cannot sign authorizations.
 */
export function signSetup(signer: AgentSigner, verified: VerifiedSetup, nonce: number): Promise<Hex> {
  const { authorization, gasLimit, ...transaction } = verified.transaction;
  return signTransaction(signer, {
    ...transaction,
    type: authorization ? 'eip7702' : 'eip1559',
    nonce,
    value: 0n,
    gas: gasLimit,
    authorization: authorization && {
      address: authorization.contractAddress,
      chainId: authorization.chainId,
      // The sender's nonce is incremented before its own authorization is checked.
      nonce: nonce + 1,
    },
  });
}
