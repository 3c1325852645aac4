import type { Hex } from 'viem';
import type { VerifiedEnvelope } from '../verify/types.js';
import { accountOf, isEthersSigner, type AgentSigner } from './signer.js';

/**
 * Sign an envelope that `verifyEnvelope` found to be what the agent asked for.
 *
 * @param verified Its verdict: what is signed was made by the verification, not by the service.
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
