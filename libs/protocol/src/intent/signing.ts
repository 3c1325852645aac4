import { hashTypedData, type Address, type Hex } from 'viem';
import type { IntentSigning } from '../wire/intent-envelope.js';

/** The EIP-712 type that the wallet signs and the validator module verifies. */
export const intentTypes = {
  Intent: [
    { name: 'merkleRoot', type: 'bytes32' },
    { name: 'chainId', type: 'uint256' },
    { name: 'expiry', type: 'uint48' },
    { name: 'validAfter', type: 'uint48' },
  ],
} as const;

/** Largest time that fits the uint48 fields of the intent, in Unix seconds. */
export const maxIntentTime = 2 ** 48 - 1;

/** Contents of the signing payload. */
export interface IntentMessage {
  readonly merkleRoot: Hex;
  readonly chainId: number;
  /** Unix seconds. */
  readonly expiry: number;
  /** Unix seconds. */
  readonly validAfter: number;
  readonly validator: Address;
}

/** Build the EIP-712 payload of an intent; the validator module is the verifying contract. */
export function intentSigning(intent: IntentMessage): IntentSigning {
  const { merkleRoot, chainId, expiry, validAfter, validator } = intent;
  return {
    domain: { name: 'YieldVaultIntent', version: '1', chainId, verifyingContract: validator },
    primaryType: 'Intent',
    types: intentTypes,
    message: { merkleRoot, chainId, expiry, validAfter },
  };
}

/** Hash the EIP-712 payload of an intent: the 32 bytes that are signed. */
export function intentDigest(intent: IntentMessage): Hex {
  const { domain, message } = intentSigning(intent);
  return hashTypedData({
    domain,
    types: intentTypes,
    primaryType: 'Intent',
    message: { ...message, chainId: BigInt(message.chainId) },
  });
}
