import type { Hex } from 'viem';
import type { VerifiedSetup } from '../verify/types.js';
import { signTransaction } from './sign-transaction.js';
import type { AgentSigner } from './signer.js';

/**
 * Sign a setup that `verifySetup` found to be in order.
 *
 * @param verified Its verdict: what is signed was made by the verification, not by the service.
 * @param nonce The next nonce of the wallet.
 * @returns The raw transaction for setup-relay.
 * @throws {TypeError} When the signer cannot sign authorizations.
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
      // The sender's own nonce is counted up before the authorization is looked at.
      nonce: nonce + 1,
    },
  });
}
