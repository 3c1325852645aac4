import type { Eip7702Auth, GaslessSetupRequest } from '@yield-vault/protocol';
import type { Hex } from 'viem';
import type { VerifiedGaslessSetup } from '../verify/verify-gasless-setup.js';
import { accountOf, isEthersSigner, type AgentSigner } from './signer.js';

/**
 * Sign a gasless setup that `verifyGaslessSetup` accepted.
 *
 * @param verified Its result: the verification built the signed payloads, not the service.
 * @returns The signatures for the request; without `authorization` where the wallet delegates already.
 * @throws {TypeError} When the signer cannot sign authorizations.
 */
export async function signGaslessSetup(
  signer: AgentSigner,
  { authorization, permit }: VerifiedGaslessSetup,
): Promise<Pick<GaslessSetupRequest, 'permitSignature' | 'authorization'>> {
  const signed = authorization && { authorization: await signAuthorization(signer, authorization) };
  return { permitSignature: await signPermit(signer, permit), ...signed };
}

async function signAuthorization(
  signer: AgentSigner,
  authorization: NonNullable<VerifiedGaslessSetup['authorization']>,
): Promise<Eip7702Auth> {
  if (isEthersSigner(signer)) {
    const { r, s, yParity } = (await signer.authorize(authorization)).signature;
    return { ...authorization, yParity, r: r as Hex, s: s as Hex };
  }
  const account = accountOf(signer);
  if (!account.signAuthorization) throw new TypeError('This account cannot sign EIP-7702 authorizations');
  const { r, s, yParity, v } = await account.signAuthorization(authorization);
  return { ...authorization, yParity: yParity ?? Number(v) - 27, r, s };
}

async function signPermit(signer: AgentSigner, permit: VerifiedGaslessSetup['permit']): Promise<Hex> {
  const { domain, types, message } = permit;
  if (!isEthersSigner(signer)) return accountOf(signer).signTypedData(permit);
  const fields = types.Permit.map((field) => ({ ...field }));
  return (await signer.signTypedData(domain, { Permit: fields }, message)) as Hex;
}
