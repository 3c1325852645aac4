import { isLowS, sameHex, type Eip7702Auth } from '@yield-vault/protocol';
import {
  hexToNumber,
  recoverTypedDataAddress,
  size,
  slice,
  type Address,
  type Hex,
  type SignedAuthorization,
} from 'viem';
import { recoverAuthorizationAddress } from 'viem/utils';
import { usdcPermitTypedData, type UsdcPermit } from './usdc-permit.js';

/** What is wrong with a signed document. */
export interface SignatureFault {
  readonly field: string;
  readonly expected: string;
  readonly given: string;
}

/** What an EIP-7702 authorization must say, and who must have signed it. */
export interface ExpectedAuthorization {
  readonly wallet: Address;
  readonly implementation: Address;
  readonly chainId: number;
  readonly nonce: number;
}

const halfOrder = 'the lower half of the curve order';

/**
 * Find what is wrong with an EIP-7702 authorization. The chain skips a wrong one silently, and takes one for chain id 0 on
 * every chain.
 *
 * @returns `undefined` when nothing is
 */
export async function findAuthorizationFault(
  authorization: SignedAuthorization | Eip7702Auth,
  { wallet, implementation, chainId, nonce }: ExpectedAuthorization,
): Promise<SignatureFault | undefined> {
  const { address, yParity, s } = authorization;
  if (!sameHex(address, implementation)) return fault('address', implementation, address);
  if (authorization.chainId !== chainId) return fault('chainId', chainId, authorization.chainId);
  if (authorization.nonce !== nonce) return fault('nonce', nonce, authorization.nonce);
  if (yParity !== 0 && yParity !== 1) return fault('yParity', '0 or 1', yParity ?? 'none');
  const signer = await recoverAuthorizationAddress({ authorization }).catch(() => undefined);
  if (!sameHex(signer, wallet)) return fault('signer', wallet, signer ?? 'none');
  return isLowS(s) ? undefined : fault('s', halfOrder, s);
}

/**
 * Find what is wrong with the signature of a permit of USDC. The token takes 27 and 28 for `v`, and no high `s`.
 *
 * @returns `undefined` when nothing is
 */
export async function findPermitFault(
  signature: Hex,
  permit: UsdcPermit,
): Promise<SignatureFault | undefined> {
  if (size(signature) !== 65) return fault('length', '65 bytes', `${size(signature)} bytes`);
  const v = hexToNumber(slice(signature, 64));
  if (v !== 27 && v !== 28) return fault('v', '27 or 28', v);
  const signed = { ...usdcPermitTypedData(permit), signature };
  const signer = await recoverTypedDataAddress(signed).catch(() => undefined);
  if (!sameHex(signer, permit.owner)) return fault('signer', permit.owner, signer ?? 'none');
  const s = slice(signature, 32, 64);
  return isLowS(s) ? undefined : fault('s', halfOrder, s);
}

/** Say in one sentence what is wrong. */
export const describeFault = (document: string, { field, expected, given }: SignatureFault): string =>
  `${document}: ${field} is ${given}, expected ${expected}.`;

function fault(field: string, expected: string | number, given: string | number): SignatureFault {
  return { field, expected: String(expected), given: String(given) };
}
