import type { Address, Hex } from 'viem';
import type { Eip7702Auth } from './intent-envelope.js';

export const setupTypes = ['full', 'modules'] as const;
/** `full` delegates and initialises; `modules` initialises a wallet that is delegated already. */
export type SetupType = (typeof setupTypes)[number];

export interface SetupTicket {
  readonly version: 1;
  readonly walletAddress: Address;
  readonly chainId: number;
  readonly implementation: Address;
  /** keccak256 of the setup calldata. */
  readonly initCalldataHash: Hex;
  readonly setupType: SetupType;
  /** ISO 8601 UTC ending in Z. */
  readonly expiresAt: string;
}

export interface SetupBlock {
  readonly setupType: SetupType;
  readonly description: string;
  readonly authorization: { readonly contractAddress: Address; readonly chainId: number } | null;
  readonly initCalldata: Hex;
  readonly to: Address;
  /** Decimal strings; fees in wei. */
  readonly gas: {
    readonly gasLimit: string;
    readonly maxFeePerGas: string;
    readonly maxPriorityFeePerGas: string;
  };
}

/** The checks of setup-relay in the order in which they are made. */
export const setupChecks = [
  'ticket-not-expired',
  'chain-active',
  'implementation-match',
  'tx-type-valid',
  'chain-id-match',
  'self-call',
  'calldata-hash-match',
  'auth-list-valid',
  'signer-match',
  'tx-broadcast',
  'receipt-success',
  'delegation-verified',
  'modules-verified',
] as const;
export type SetupCheck = (typeof setupChecks)[number];

export interface SetupRelayRequest {
  readonly setupTicket: SetupTicket;
  readonly signedRawTx: Hex;
  readonly confirmations: number;
}

export interface SetupRelayResponse {
  readonly txHash: Hex;
  readonly receiptStatus: 'success';
  readonly blockNumber: string;
  readonly relayMode: 'managed-fork' | 'chain';
  readonly setupType: SetupType;
  readonly delegationVerified: boolean;
  readonly modulesVerified: boolean;
  readonly verifiedImplementation: Address;
  readonly setupRequired: 'none';
  readonly verificationChecks: readonly SetupCheck[];
}

/** Where a gasless setup is completed. */
export const gaslessSetupPath = '/v1/yield/gasless-setup';

/** An EIP-2612 permit of USDC to sign. `uint256` fields are decimal strings. */
export interface PermitTypedData {
  readonly domain: {
    readonly name: string;
    readonly version: string;
    readonly chainId: number;
    /** USDC. */
    readonly verifyingContract: Address;
  };
  readonly types: { readonly Permit: readonly { readonly name: string; readonly type: string }[] };
  readonly primaryType: 'Permit';
  readonly message: {
    readonly owner: Address;
    /** The paymaster. */
    readonly spender: Address;
    /** Base units of USDC. */
    readonly value: string;
    readonly nonce: string;
    readonly deadline: string;
  };
}

/** What a wallet signs for a setup that needs no ether: its first operation delegates and permits. */
export interface GaslessSetup {
  /** The EIP-7702 authorization to sign; `null` where the wallet delegates already. */
  readonly authorization: {
    readonly contractAddress: Address;
    readonly chainId: number;
    /** Transaction count of the wallet. */
    readonly nonce: number;
  } | null;
  readonly permit: PermitTypedData;
  readonly endpoint: typeof gaslessSetupPath;
}

/** The checks of a gasless setup: of its signatures, and that the wallet has its default modules. */
export type GaslessSetupCheck = 'auth-list-valid' | 'permit-valid' | 'modules-verified';

/** The deposit of a wallet that sets itself up by it. */
export interface GaslessSetupRequest {
  readonly chain: string;
  readonly agentAddress: Address;
  readonly vaultId: string;
  readonly asset: string;
  /** Human units of the asset. */
  readonly amount: string;
  /** 65 bytes: r, s, v. */
  readonly permitSignature: Hex;
  /** Absent where the wallet delegates already. */
  readonly authorization?: Eip7702Auth;
}
