import { usdcDomain } from '@yield-vault/contracts';
import {
  concat,
  hexToBigInt,
  maxUint256,
  numberToHex,
  parseAbi,
  size,
  slice,
  type Address,
  type Hex,
} from 'viem';
import { MalformedSignatureError } from './errors.js';

/** An EIP-2612 permit of USDC for a paymaster. */
export interface UsdcPermit {
  readonly chainId: number;
  readonly usdc: Address;
  readonly owner: Address;
  /** The paymaster. */
  readonly spender: Address;
  /** Allowance, in base units of USDC. */
  readonly value: bigint;
  /** `nonces(owner)` of the token. */
  readonly nonce: bigint;
}

/** The view of USDC that returns the nonce of a wallet's next permit. */
export const usdcPermitAbi = parseAbi(['function nonces(address owner) view returns (uint256)']);

const types = {
  Permit: [
    { name: 'owner', type: 'address' },
    { name: 'spender', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'nonce', type: 'uint256' },
    { name: 'deadline', type: 'uint256' },
  ],
} as const;

/**
 * Build the typed data of a permit as paymasters use it. Its deadline is 2^256-1, because the token compares any other with
 * the clock, which validation must not read: an unused permit stays valid until its nonce is spent.
 */
export function usdcPermitTypedData({ chainId, usdc, owner, spender, value, nonce }: UsdcPermit) {
  return {
    domain: { ...usdcDomain(chainId), chainId, verifyingContract: usdc },
    types,
    primaryType: 'Permit',
    message: { owner, spender, value, nonce, deadline: maxUint256 },
  } as const;
}

/** A permit in paymaster data. */
export interface PermitData {
  readonly token: Address;
  /** Allowance, in base units of the token. */
  readonly value: bigint;
  /** 65 bytes: r, s, v. */
  readonly signature: Hex;
}

const mode = '0x00';
const signatureOffset = 53;
const signatureBytes = 65;

/**
 * Pack a permit as our paymaster and Circle's read it: mode 0 ‖ token ‖ uint256 value ‖ 65 bytes.
 *
 * @throws {MalformedSignatureError} when the signature has another length
 */
export function encodePermitData({ token, value, signature }: PermitData): Hex {
  if (size(signature) !== signatureBytes)
    throw new MalformedSignatureError('the signature is not 65 bytes long');
  return concat([mode, token, numberToHex(value, { size: 32 }), signature]).toLowerCase() as Hex;
}

/** Unpack the permit in paymaster data. @returns `undefined` when it is anything else */
export function decodePermitData(data: Hex): PermitData | undefined {
  if (size(data) !== signatureOffset + signatureBytes || slice(data, 0, 1) !== mode) return undefined;
  return {
    token: slice(data, 1, 21),
    value: hexToBigInt(slice(data, 21, signatureOffset)),
    signature: slice(data, signatureOffset),
  };
}
