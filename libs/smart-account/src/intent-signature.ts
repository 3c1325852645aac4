import { maxIntentTime } from '@yield-vault/protocol';
import { concat, hexToNumber, numberToHex, size, slice, type Hex } from 'viem';
import { MalformedSignatureError } from './errors.js';

/** Contents of the signature of a user operation, as the validator module reads it. */
export interface IntentSignature {
  /** Unix seconds. */
  readonly expiry: number;
  /** Unix seconds. */
  readonly validAfter: number;
  /** 65 bytes: r, s, v. */
  readonly signature: Hex;
  readonly proof: readonly Hex[];
}

const timeBytes = 6;
const signatureBytes = 65;
const proofOffset = 2 * timeBytes + signatureBytes;
const hashBytes = 32;

/**
 * Pack a signature for the validator module: expiry ‖ validAfter ‖ 65 bytes ‖ proof.
 *
 * @throws {MalformedSignatureError} when a part has another length or a time does not fit 48 bits
 */
export function encodeIntentSignature({ expiry, validAfter, signature, proof }: IntentSignature): Hex {
  if (size(signature) !== signatureBytes)
    throw new MalformedSignatureError('the signature is not 65 bytes long');
  if (proof.some((hash) => size(hash) !== hashBytes))
    throw new MalformedSignatureError('a proof item is not 32 bytes long');
  return concat([time(expiry), time(validAfter), signature, ...proof]);
}

/**
 * Unpack a signature of the validator module.
 *
 * @throws {MalformedSignatureError} when its length is not 77 + 32n bytes
 */
export function decodeIntentSignature(packed: Hex): IntentSignature {
  const proofBytes = size(packed) - proofOffset;
  if (proofBytes < 0 || proofBytes % hashBytes !== 0) {
    throw new MalformedSignatureError(`${size(packed)} bytes are not an intent signature`);
  }
  return {
    expiry: hexToNumber(slice(packed, 0, timeBytes)),
    validAfter: hexToNumber(slice(packed, timeBytes, 2 * timeBytes)),
    signature: slice(packed, 2 * timeBytes, proofOffset),
    proof: Array.from({ length: proofBytes / hashBytes }, (_, index) => {
      const start = proofOffset + index * hashBytes;
      return slice(packed, start, start + hashBytes);
    }),
  };
}

/**
 * Make a signature for gas estimates: as long and as expensive to check as a real one of a tree with one leaf. It recovers
 * to an unused key.
 */
export function stubIntentSignature(expiry: number, validAfter: number): Hex {
  return encodeIntentSignature({ expiry, validAfter, signature: stubSignature, proof: [] });
}

// r is the x coordinate of a curve point; otherwise recovery fails and the check is cheaper. s is low, as the module
// requires. Neither has a zero byte, so the call data costs as much as the most expensive real signature.
const stubR = '79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798';
const stubSignature: Hex = `0x${stubR}${'33'.repeat(32)}1b`;

function time(seconds: number): Hex {
  if (!Number.isInteger(seconds) || seconds < 0 || seconds > maxIntentTime) {
    throw new MalformedSignatureError(`${seconds} does not fit 48 bits`);
  }
  return numberToHex(seconds, { size: timeBytes });
}
