import type {
  Address,
  ChainId,
  Digits,
  Hash32,
  Hex,
  Integer,
  TypedDataField,
  UnixSeconds,
} from './values.js';

/** An ERC-4337 user operation as it travels: numbers as strings, paymaster fields packed. @request */
export interface WireUserOperation {
  readonly sender: Address;
  readonly nonce: Digits;
  readonly callData: Hex;
  readonly signature: Hex;
  readonly initCode?: Hex;
  readonly callGasLimit?: Digits;
  readonly verificationGasLimit?: Digits;
  readonly preVerificationGas?: Digits;
  readonly maxFeePerGas?: Digits;
  readonly maxPriorityFeePerGas?: Digits;
  readonly paymasterAndData?: Hex;
}

/** A signed EIP-7702 authorization, beside the operation that it lets delegate. @request @verified */
export interface Eip7702Auth {
  readonly chainId: ChainId;
  /** The implementation. */
  readonly address: Address;
  /** Transaction count of the wallet. */
  readonly nonce: Integer;
  readonly yParity: Integer;
  readonly r: Hash32;
  readonly s: Hash32;
}

/** A user operation and what belongs to it. @request */
export interface EnvelopeUserOperation {
  readonly userOperation: WireUserOperation;
  readonly eip7702Auth?: unknown;
  readonly validatorSig?: Hex;
}

// Aliases, because viem takes typed data with an index signature.

/** @request */
export type IntentDomain = {
  readonly name: string;
  readonly version: string;
  readonly chainId: ChainId;
  readonly verifyingContract: Address;
};

/** @request */
export type IntentTypes = {
  readonly Intent: readonly TypedDataField[];
};

/** @request */
export type IntentMessage = {
  readonly merkleRoot: Hash32;
  readonly chainId: ChainId;
  readonly expiry: UnixSeconds;
  readonly validAfter: UnixSeconds;
};

/** The EIP-712 payload that the wallet signs. @request */
export interface IntentSigning {
  readonly domain: IntentDomain;
  readonly primaryType: 'Intent';
  readonly types: IntentTypes;
  readonly message: IntentMessage;
}

/** The document that execute takes. `proofs` has one proof for each user operation. @request */
export interface IntentEnvelope {
  readonly version: '1';
  readonly intentId?: string;
  readonly chainId: ChainId;
  readonly entryPoint?: Address;
  readonly sender?: Address;
  readonly userOps: readonly EnvelopeUserOperation[];
  readonly destinationExecutions?: readonly unknown[];
  readonly expiry: UnixSeconds;
  readonly validAfter: UnixSeconds;
  readonly merkleRoot: Hash32;
  readonly proofs?: readonly (readonly Hash32[])[];
  readonly signing?: IntentSigning;
  readonly eip7702AuthRequest?: unknown;
}

/** Sign `signing` and pass the envelope to execute. @verified */
export interface PreparedIntentEnvelope {
  /** Version of the envelope. */
  readonly version: '1';
  /** Same as merkleRoot. @example {hash32} */
  readonly intentId: Hash32;
  /** Chain id. @example 8453 */
  readonly chainId: ChainId;
  /** The entry point. @example {entryPoint} */
  readonly entryPoint: Address;
  /** The wallet. @example {agentAddress} */
  readonly sender: Address;
  /** One user operation. */
  readonly userOps: readonly EnvelopeUserOperation[];
  /** Empty. @example [] */
  readonly destinationExecutions: readonly unknown[];
  /** Unix seconds after which the intent is dead. @example 1767225600 */
  readonly expiry: UnixSeconds;
  /** Unix seconds before which the intent is not valid. @example 0 */
  readonly validAfter: UnixSeconds;
  /** Root of the tree of operations. @example {hash32} */
  readonly merkleRoot: Hash32;
  /** One Merkle proof for each operation. @example [[]] */
  readonly proofs: readonly (readonly Hash32[])[];
  /** EIP-712 payload to sign. */
  readonly signing: IntentSigning;
}
