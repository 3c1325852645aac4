import type { GaslessSetupRequest } from '@yield-vault/protocol';
import type { VerifiedGaslessSetup } from '../verify/verify-gasless-setup.js';
import { accountOf, type AgentSigner } from './signer.js';

/**
 * Sign a gasless setup that `verifyGaslessSetup` accepted.
 *
 * @param verified Its result: the verification built the signed payloads, not the service.
 * @returns The signatures for the request: of the authorization, of the permit, or of both.
 * @throws {UnsupportedSignerError} When the signer cannot sign authorizations.
 */
export async function signGaslessSetup(
  signer: AgentSigner,
  { authorization, permit }: VerifiedGaslessSetup,
): Promise<Pick<GaslessSetupRequest, 'permitSignature' | 'authorization'>> {
  const account = await accountOf(signer);
  return {
    ...(permit && { permitSignature: await account.signTypedData(permit) }),
    ...(authorization && { authorization: await account.signAuthorization(authorization) }),
  };
}
