import type { Address, Hex } from 'viem';

/** An ERC-4337 user operation as it travels: numbers as strings, paymaster fields packed. */
export interface WireUserOperation {
  readonly sender: Address;
  readonly nonce: string;
  readonly callData: Hex;
  readonly signature: Hex;
  readonly initCode?: Hex;
  readonly callGasLimit?: string;
  readonly verificationGasLimit?: string;
  readonly preVerificationGas?: string;
  readonly maxFeePerGas?: string;
  readonly maxPriorityFeePerGas?: string;
  readonly paymasterAndData?: Hex;
}

/** A signed EIP-7702 authorization, beside the operation that it lets delegate. */
export interface Eip7702Auth {
  readonly chainId: number;
  /** The implementation. */
  readonly address: Address;
  /** Transaction count of the wallet. */
  readonly nonce: number;
  readonly yParity: number;
  readonly r: Hex;
  readonly s: Hex;
}

export interface EnvelopeUserOperation {
  readonly userOperation: WireUserOperation;
  readonly eip7702Auth?: unknown;
  readonly validatorSig?: Hex;
}

/** The EIP-712 payload that the wallet signs. */
export interface IntentSigning {
  readonly domain: {
    readonly name: string;
    readonly version: string;
    readonly chainId: number;
    readonly verifyingContract: Address;
  };
  readonly primaryType: 'Intent';
  readonly types: { readonly Intent: readonly { readonly name: string; readonly type: string }[] };
  readonly message: {
    readonly merkleRoot: Hex;
    readonly chainId: number;
    readonly expiry: number;
    readonly validAfter: number;
  };
}

/** The document that prepare returns and execute takes. `proofs` has one proof for each user operation. */
export interface IntentEnvelope {
  readonly version: '1';
  readonly intentId?: string;
  readonly chainId: number;
  readonly entryPoint?: Address;
  readonly sender?: Address;
  readonly userOps: readonly EnvelopeUserOperation[];
  readonly destinationExecutions?: readonly unknown[];
  /** Unix seconds. */
  readonly expiry: number;
  /** Unix seconds. */
  readonly validAfter: number;
  readonly merkleRoot: Hex;
  readonly proofs?: readonly (readonly Hex[])[];
  readonly signing?: IntentSigning;
  readonly eip7702AuthRequest?: unknown;
}

/** The envelope as prepare returns it, with every field set. */
export type PreparedIntentEnvelope = Required<Omit<IntentEnvelope, 'eip7702AuthRequest'>>;
