import type { Eip7702Auth } from './intent-envelope.js';
import type {
  Address,
  ChainId,
  Digits,
  Hash32,
  Hex,
  Integer,
  RelayMode,
  Timestamp,
  TypedDataField,
} from './values.js';

export const setupTypes = ['full', 'modules'] as const;

/** `full` delegates; `modules` restores default modules, or an allowance, of a wallet that is delegated already. */
export type SetupType = (typeof setupTypes)[number];

/** Pass it to setup-relay unchanged. @schema PreparedSetupTicket @verified */
export interface SetupTicket {
  /** Version of the ticket. */
  readonly version: 1;
  /** The EOA to set up. @example {agentAddress} */
  readonly walletAddress: Address;
  /** Chain id. @example 8453 */
  readonly chainId: ChainId;
  /** Smart account implementation. @example {implementation} */
  readonly implementation: Address;
  /** keccak256 of initCalldata. @example {hash32} */
  readonly initCalldataHash: Hash32;
  /** What to set up. @example full */
  readonly setupType: SetupType;
  /** When the ticket expires. @example 2026-01-01T12:00:00.000Z */
  readonly expiresAt: Timestamp;
}

/** The EIP-7702 authorization to sign. */
export interface SetupAuthorization {
  /** Implementation to delegate to. @example {implementation} */
  readonly contractAddress: Address;
  /** Chain id. @example 8453 */
  readonly chainId: ChainId;
}

/**
 * Gas of the setup transaction, sufficient as given. A chain of the OP stack, as Base, takes its fee for L1
 * on top.
 */
export interface SetupGas {
  /** Gas limit. @example 150000 */
  readonly gasLimit: Digits;
  /** Wei per gas. @example 1000000000 */
  readonly maxFeePerGas: Digits;
  /** Wei per gas. @example 1000000 */
  readonly maxPriorityFeePerGas: Digits;
}

/**
 * The setup transaction to sign. value is 0; the nonce is the next one of the wallet on the chain or fork
 * that it acts on, from a node of it (fork-status shows rpcUrl); the nonce of the authorization is that plus
 * 1. @schema Setup @verified
 */
export interface SetupBlock {
  /** full: type 4 with the authorization; modules: type 2. @example full */
  readonly setupType: SetupType;
  /**
   * What the transaction does, in plain words.
   * @example Sign a type-4 transaction to yourself on Base that delegates to the account implementation.
   */
  readonly description: string;
  /** null for modules. */
  readonly authorization: SetupAuthorization | null;
  /**
   * Data of the transaction: 0x delegates only. It restores default modules that the wallet removed, and sets the
   * allowance of a paymaster that needs one. @example {initCalldata}
   */
  readonly initCalldata: Hex;
  /** Recipient: the wallet itself. @example {agentAddress} */
  readonly to: Address;
  /** Gas of the transaction. */
  readonly gas: SetupGas;
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

/** The wallet is set up. */
export interface SetupRelayResponse {
  /** Hash of the transaction. @example {hash32} */
  readonly txHash: Hash32;
  /** Status of the receipt. */
  readonly receiptStatus: 'success';
  /** Block of the transaction. @example 12345678 */
  readonly blockNumber: Digits;
  /** Where the transaction went. @example managed-fork */
  readonly relayMode: RelayMode;
  /** What was set up. @example full */
  readonly setupType: SetupType;
  /** The wallet delegates to the implementation. @example true */
  readonly delegationVerified: boolean;
  /** Validator and executor modules are installed. @example true */
  readonly modulesVerified: boolean;
  /** The implementation found on chain. @example {implementation} */
  readonly verifiedImplementation: Address;
  /** What is still missing. */
  readonly setupRequired: 'none';
  /**
   * The checks in the order in which they passed.
   * @example ["ticket-not-expired", "chain-active", "implementation-match", "tx-type-valid", "chain-id-match", "self-call", "calldata-hash-match", "auth-list-valid", "signer-match", "tx-broadcast", "receipt-success", "delegation-verified", "modules-verified"]
   */
  readonly verificationChecks: readonly SetupCheck[];
}

/** Where a gasless setup is completed. */
export const gaslessSetupPath = '/v1/yield/gasless-setup';

/** The EIP-7702 authorization to sign. */
export interface GaslessAuthorization {
  /** Implementation to delegate to. @example {implementation} */
  readonly contractAddress: Address;
  /** Chain id. @example 8453 */
  readonly chainId: ChainId;
  /** Transaction count of the wallet. @example 0 */
  readonly nonce: Integer;
}

/** EIP-712 domain of USDC. */
export interface PermitDomain {
  /** Name of the domain. @example USD Coin */
  readonly name: string;
  /** Version of the domain. @example 2 */
  readonly version: string;
  /** Chain id. @example 8453 */
  readonly chainId: ChainId;
  /** USDC. @example {usdc} */
  readonly verifyingContract: Address;
}

// An alias, because viem accepts no interface here.
/** EIP-712 types. */
export type PermitTypes = {
  /** Fields of the type Permit. */
  readonly Permit: readonly TypedDataField[];
};

/** The permit; uint256 as decimal strings. */
export interface PermitMessage {
  /** The wallet. @example {agentAddress} */
  readonly owner: Address;
  /** The paymaster. @example {paymaster} */
  readonly spender: Address;
  /** USDC that the paymaster may take for gas over time. @example 20000000 */
  readonly value: Digits;
  /** nonces(owner) of USDC. @example 0 */
  readonly nonce: Digits;
  /**
   * 2^256-1: an unused permit is valid until its nonce is spent.
   * @example 115792089237316195423570985008687907853269984665640564039457584007913129639935
   */
  readonly deadline: Digits;
}

/** EIP-712 payload of an EIP-2612 permit, to sign. @schema Permit */
export interface PermitTypedData {
  /** Domain. */
  readonly domain: PermitDomain;
  /** Types. */
  readonly types: PermitTypes;
  /** Primary type. */
  readonly primaryType: 'Permit';
  /** Message. */
  readonly message: PermitMessage;
}

/** What a wallet signs to be set up by its first deposit. @verified */
export interface GaslessSetup {
  /** null where the wallet delegates already. */
  readonly authorization: GaslessAuthorization | null;
  /** Lets the paymaster take USDC for gas. null where the account pays for gas without an allowance. */
  readonly permit: PermitTypedData | null;
  /** Where to send the signatures. */
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
  /** 65 bytes: r, s, v. Absent where `gaslessSetup.permit` is null. */
  readonly permitSignature?: Hex;
  /** Absent where the wallet delegates already. */
  readonly authorization?: Eip7702Auth;
}
