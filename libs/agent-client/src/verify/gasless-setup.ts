import { isLowS, type Eip7702Auth } from '@yield-vault/protocol';
import { usdcPermitTypedData } from '@yield-vault/smart-account';
import * as Secp256k1 from 'ox/Secp256k1';
import { hashTypedData, hexToBigInt, hexToNumber, isAddressEqual, slice, type Address, type Hex } from 'viem';
import { hashAuthorization } from 'viem/utils';
import type { BookDeployment } from './address-book.js';
import type { EnvelopeExpectations } from './expectations.js';
import { paymasterField as permitField, type PaymasterData } from './paymaster-data.js';
import { demand } from './result.js';

/** The parts of an envelope that only a gasless setup has, and its deployment. */
interface GaslessParts extends PaymasterData {
  readonly authorization: Eip7702Auth | undefined;
  readonly deployment: BookDeployment;
}

const authorizationField = 'userOps.0.eip7702Auth';

/** Check that the sender signed an authorization, for the chain of the deployment alone. */
export function requireAuthorization(
  authorization: Eip7702Auth,
  sender: Address,
  { chainId }: BookDeployment,
): void {
  const field = authorizationField;
  demand(authorization.chainId === chainId, 'CHAIN_MISMATCH', `${field}.chainId`, `It is not ${chainId}.`);
  requireSigner(hashAuthorization(authorization), authorization, sender, field);
}

/** Check that an envelope has the expected authorization and permit, and neither of them unexpectedly. */
export function requireGaslessSetup(
  { authorization, permit, deployment }: GaslessParts,
  { wallet, gaslessSetup, maxAllowanceUsdc = deployment.allowanceCap }: EnvelopeExpectations,
): void {
  const { authorizationNonce: nonce, permitNonce } = gaslessSetup ?? {};
  const [hasAuthorization, hasPermit] = [authorization !== undefined, permit !== undefined];
  const presence = (what: string, has: boolean) => `It contains ${has ? 'an unexpected' : 'no'} ${what}.`;
  const field = authorizationField;
  const isExpected = hasAuthorization === (nonce !== undefined);
  demand(isExpected, 'UNSUPPORTED_ENVELOPE', field, presence('authorization', hasAuthorization));
  demand(authorization?.nonce === nonce, 'NONCE_MISMATCH', `${field}.nonce`, `It is not ${nonce}.`);
  const isAllowed = hasPermit === (permitNonce !== undefined);
  demand(isAllowed, 'PAYMASTER_DATA_NOT_ALLOWED', permitField, presence('permit', hasPermit));
  if (permit === undefined || permitNonce === undefined) return;
  const { value, signature } = permit;
  const tooMuch = `The paymaster is permitted ${value}, above ${maxAllowanceUsdc}.`;
  demand(value <= maxAllowanceUsdc, 'ALLOWANCE_TOO_HIGH', permitField, tooMuch);
  const { chainId, usdc, paymaster } = deployment;
  const signed = { chainId, usdc, owner: wallet, spender: paymaster.address, value, nonce: permitNonce };
  const [r, s] = [slice(signature, 0, 32), slice(signature, 32, 64)];
  // 27 or 28; the token takes no other.
  const yParity = hexToNumber(slice(signature, 64)) - 27;
  requireSigner(hashTypedData(usdcPermitTypedData(signed)), { r, s, yParity }, wallet, permitField);
}

type Signature = Pick<Eip7702Auth, 'r' | 's' | 'yParity'>;

function requireSigner(payload: Hex, signature: Signature, wallet: Address, field: string): void {
  const signer = isLowS(signature.s) ? recover(payload, signature) : undefined;
  const detail = 'The wallet did not sign this, or the signature is malleable.';
  demand(signer !== undefined && isAddressEqual(signer, wallet), 'SIGNATURE_MISMATCH', field, detail);
}

/** @returns `undefined` for numbers that are no signature */
function recover(payload: Hex, { r, s, yParity }: Signature): Address | undefined {
  try {
    const signature = { r: hexToBigInt(r), s: hexToBigInt(s), yParity };
    return Secp256k1.recoverAddress({ payload, signature });
  } catch {
    return undefined;
  }
}
