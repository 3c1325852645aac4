import type { Hex } from 'viem';
import type { VerifiedEnvelope } from '../verify/verify-envelope.js';
import { accountOf, isEthersSigner, type AgentSigner } from './signer.js';

/**
 * Sign an envelope that `verifyEnvelope` accepted.
 *
 * @param verified Its result: the verification built the signed payload, not the service.
 * @returns The EIP-712 signature for execute.
 */
export async function signIntent(signer: AgentSigner, { signing }: VerifiedEnvelope): Promise<Hex> {
  const { domain, types, primaryType, message } = signing;
  if (!isEthersSigner(signer)) {
    return accountOf(signer).signTypedData({ domain, types, primaryType, message });
  }
  const fields = types.Intent.map((field) => ({ ...field }));
  return (await signer.signTypedData(domain, { Intent: fields }, message)) as Hex;
}
