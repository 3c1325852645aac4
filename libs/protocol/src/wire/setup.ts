import type { Address, Hex } from 'viem';

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
