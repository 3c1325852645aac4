import type { Hex } from 'viem';
import type { VerifiedEnvelope } from '../verify/verify-envelope.js';
import { accountOf, type AgentSigner } from './signer.js';

/**
 * Sign an envelope that `verifyEnvelope` accepted.
 *
 * @param verified Its result: the verification built the signed payload, not the service.
 * @returns The EIP-712 signature for execute.
 * @throws {UnsupportedSignerError} When the signer cannot sign typed data.
 */
export async function signIntent(
  signer: AgentSigner,
  { signing }: Pick<VerifiedEnvelope, 'signing'>,
): Promise<Hex> {
  return (await accountOf(signer)).signTypedData(signing);
}
