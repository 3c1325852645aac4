import type { ErrorCode } from '../errors/error-catalogue.js';
import type { Json } from '../errors/service-error.js';
import type {
  Address,
  ChainId,
  Digits,
  Environment,
  Integer,
  PlainAddress,
  RelayMode,
  Timestamp,
} from './values.js';
import type { Asset } from './vault.js';

/** State of one chain. */
export interface ChainHealth {
  /** Chain id. @example 8453 */
  readonly chainId: ChainId;
  /** Newest block seen. @example 12345678 */
  readonly blockNumber: Integer | null;
  /** The RPC. @example ok */
  readonly rpc: 'ok' | 'down';
  /** The bundlers: ok while one responds, off where none is configured. @example ok */
  readonly bundler: 'ok' | 'down' | 'off';
  /** Why it is not ready: ranking, rpc, bundler, contracts, archive, paymaster, deposit or follower, and the chain. @example [] */
  readonly reasons: readonly string[];
}

/** Age of the ranking. */
export interface Freshness {
  /** Age in a word. @example healthy */
  readonly snapshotFreshnessStatus: 'healthy' | 'stale' | 'critical';
  /**
   * Time of the newest snapshot of the chain that is furthest behind; null until every chain has one.
   * @example 2026-01-01T12:00:00.000Z
   */
  readonly latestSnapshotAt: Timestamp | null;
}

/** State of the service, from a background probe. */
export interface Health {
  /** ok when every part works. @example ok */
  readonly status: 'ok' | 'degraded';
  /** Version of the service. @example 0.1.0 */
  readonly version: string;
  /** Deployment. @example local */
  readonly environment: Environment;
  /** Seconds since the start. @example 3600 */
  readonly uptimeSeconds: Integer;
  /** Simulation before submission. @example enforce */
  readonly preflightMode: 'off' | 'enforce';
  /** Whether discover and prepare must be paid. @example off */
  readonly paymentEnforcement: 'on' | 'off';
  /** Age of the ranking. */
  readonly freshness: Freshness;
  /** Deposits that the operator paused: `deposits`, `chain:<key>`, `vault:<vaultId>`. @example [] */
  readonly paused: readonly string[];
  /** The active chains by key. */
  readonly chains: Readonly<Record<string, ChainHealth>>;
}

/** Whether a chain serves requests. */
export interface ChainReadiness {
  /** Whether every part of the chain works. @example true */
  readonly ready: boolean;
  /** The parts that it waits for. @example [] */
  readonly reasons: readonly string[];
}

/** The service takes requests. */
export interface Ready {
  /** At least one chain serves. */
  readonly status: 'ready';
  /** The active chains by key. */
  readonly chains: Readonly<Record<string, ChainReadiness>>;
}

/** Contracts that wallets of a chain use. */
export interface ChainContracts {
  /** Entry point of ERC-4337. @example {entryPoint} */
  readonly entryPoint: Address;
  /** Implementation of the account. @example {implementation} */
  readonly implementation: Address;
  /** Validator module. @example {validator} */
  readonly validator: Address;
  /** Executor module. @example {executor} */
  readonly executor: Address;
  /** Paymaster that takes USDC for gas. @example {paymaster} */
  readonly paymaster: Address;
  /** USDC, in which gas is paid. @example {usdc} */
  readonly usdc: Address;
  /** Router of calls for any wallet. @example {router} */
  readonly router: Address;
}

/** An active chain. @schema Chain */
export interface ChainInfo {
  /** Chain key, as requests name it. @example base */
  readonly chain: string;
  /** Chain id. @example 8453 */
  readonly chainId: ChainId;
  /** Name of the chain. @example Base */
  readonly name: string;
  /** Where wallets act: on a fork, or on the chain itself. @example chain */
  readonly relayMode: RelayMode;
  /** Assets of the listed vaults, by symbol. */
  readonly assets: readonly Asset[];
  /** Compare them with an address book of your own before you sign. */
  readonly contracts: ChainContracts;
  /** How long a prepared intent can be executed, in seconds. @example 600 */
  readonly intentLifetimeSeconds: Integer;
  /** Blocks on top of a result before it is final. @example 1 */
  readonly confirmations: Integer;
}

/** The active chains. */
export interface ChainsResponse {
  /** In the order of the deployment. */
  readonly chains: readonly ChainInfo[];
}

/** One way to pay, in any version of x402. @local */
export interface PaymentTerms {
  /** Scheme of x402. @example exact */
  readonly scheme: string;
  /** Token to pay with. @example {usdc} */
  readonly asset: PlainAddress;
  /** Recipient. @example {payTo} */
  readonly payTo: PlainAddress;
  /** Longest validity of the authorization, in seconds. @example 120 */
  readonly maxTimeoutSeconds: Integer;
  /** Name and version in the EIP-712 domain of the token. @example {"name": "USD Coin", "version": "2"} */
  readonly extra: Readonly<Record<string, unknown>>;
}

/** One way to pay, in the form of x402 v2. */
export interface PaymentRequirements extends PaymentTerms {
  /** Chain to pay on (CAIP-2). @example eip155:8453 */
  readonly network: string;
  /** Price in base units of the token. @example 10000 */
  readonly amount: Digits;
}

/** One way to pay, in the form of x402 v1. */
export interface PaymentRequirementsV1 extends PaymentTerms {
  /** Chain to pay on, by its name in x402 v1. @example base */
  readonly network: string;
  /** Price in base units of the token. @example 10000 */
  readonly maxAmountRequired: Digits;
  /** URL of the resource. @example https://api.example.org/v1/yield/prepare */
  readonly resource: string;
  /** Purpose of the resource. @example Build a setup or an execution payload */
  readonly description: string;
  /** Media type of the response. @example application/json */
  readonly mimeType: string;
  /**
   * Input and output of the resource.
   * @example {"input": {"type": "http", "method": "POST", "discoverable": true, "bodyType": "json"}}
   */
  readonly outputSchema: Readonly<Record<string, unknown>>;
}

/** A priced resource and its payment terms. @schema PricedResource */
export interface PricedItem {
  /** URL of the resource. @example https://api.example.org/v1/yield/prepare */
  readonly resource: string;
  /** Transport of the resource. */
  readonly type: 'http';
  /** HTTP method. @example POST */
  readonly method: string;
  /** Purpose of the resource. @example Build a setup or an execution payload */
  readonly description: string;
  /** Payment requirements of x402 v2, one per chain. */
  readonly accepts: readonly PaymentRequirements[];
  /** Extensions of x402 v2. `bazaar` has the schemas of input and output. */
  readonly extensions?: Readonly<Record<string, unknown>>;
}

/** Prices of the service. @schema Prices */
export interface PricesResponse {
  /** Version of this document. */
  readonly version: 1;
  /** Version of x402. */
  readonly x402Version: 2;
  /** URL of each priced resource. @example ["https://api.example.org/v1/yield/prepare"] */
  readonly resources: readonly string[];
  /** The priced resources with their payment terms. */
  readonly items: readonly PricedItem[];
}

/** An error, in the same form on every route. @schema Error */
export interface ErrorResponse {
  /** HTTP status. @example 400 */
  readonly statusCode: Integer;
  /** The documented sentence of the error. @example Invalid request parameters */
  readonly error: string;
  /** Stable code. @example INVALID_PARAMETERS */
  readonly code: ErrorCode;
  /** What was wrong with this call. @example limit must be at most 20. */
  readonly detail: string;
  /** The same call may succeed later. @example false */
  readonly retryable: boolean;
  /** What to do next. @example Correct the fields listed in details.violations. */
  readonly nextAction: string;
  /**
   * Particulars, such as violations, supportedChains, aaCode or revertReason.
   * @example {"violations": [{"field": "limit", "message": "must be at most 20"}]}
   */
  readonly details: Readonly<Record<string, Json>>;
  /** X-Request-Id of the response. @example 6f9d6a52-3d0a-4a2e-8f0c-1f1f0c1b7e11 */
  readonly requestId: string;
}

/** The price, in x402 form. @schema PaymentRequired */
export interface PaymentRequiredResponse {
  /** Version of the protocol. @example 1 */
  readonly x402Version: Integer;
  /** The documented sentence of the error. */
  readonly error: 'Payment required';
  /** Accepted terms in the form of x402 v1; the header PAYMENT-REQUIRED holds the form of v2. */
  readonly accepts: readonly PaymentRequirementsV1[];
  /** Stable code. */
  readonly code: 'PAYMENT_REQUIRED';
  /** X-Request-Id of the response. @example 6f9d6a52-3d0a-4a2e-8f0c-1f1f0c1b7e11 */
  readonly requestId: string;
}
