import type { Eip7702Auth, GaslessSetupRequest } from '@yield-vault/protocol';
import type { Hex } from 'viem';
import type { VerifiedGaslessSetup } from '../verify/verify-gasless-setup.js';
import { accountOf, isEthersSigner, signTypedData, signWithAccount, type AgentSigner } from './signer.js';

/**
 * Sign a gasless setup that `verifyGaslessSetup` accepted.
 *
 * @param verified Its result: the verification built the signed payloads, not the service.
 * @returns The signatures for the request: of the authorization, of the permit, or of both.
 * @throws {TypeError} When the signer cannot sign authorizations.
 */
export async function signGaslessSetup(
  signer: AgentSigner,
  { authorization, permit }: VerifiedGaslessSetup,
): Promise<Pick<GaslessSetupRequest, 'permitSignature' | 'authorization'>> {
  return {
    ...(permit && { permitSignature: await signTypedData(signer, permit) }),
    ...(authorization && { authorization: await signAuthorization(signer, authorization) }),
  };
}

async function signAuthorization(
  signer: AgentSigner,
  authorization: NonNullable<VerifiedGaslessSetup['authorization']>,
): Promise<Eip7702Auth> {
  if (isEthersSigner(signer)) {
    const { r, s, yParity } = (await signer.authorize(authorization)).signature;
    return { ...authorization, yParity, r: r as Hex, s: s as Hex };
  }
  const { r, s, yParity, v } = await signWithAccount(accountOf(signer), authorization);
  return { ...authorization, yParity: yParity ?? Number(v) - 27, r, s };
}
