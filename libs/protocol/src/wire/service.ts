import type { Address } from 'viem';
import type { ErrorCode } from '../errors/error-catalogue.js';
import type { Json } from '../errors/service-error.js';
import type { Asset } from './vault.js';

/** State of one chain, from a background probe. */
export interface ChainHealth {
  readonly chainId: number;
  /** Newest block seen; null before the first. */
  readonly blockNumber: number | null;
  readonly rpc: 'ok' | 'down';
  /** `off` where no bundler is configured. */
  readonly bundler: 'ok' | 'down' | 'off';
}

/** Response of health. */
export interface Health {
  readonly status: 'ok' | 'degraded';
  readonly version: string;
  readonly environment: string;
  readonly uptimeSeconds: number;
  readonly preflightMode: 'off' | 'enforce';
  readonly paymentEnforcement: 'on' | 'off';
  readonly freshness: {
    readonly snapshotFreshnessStatus: 'healthy' | 'stale' | 'critical';
    /** ISO 8601, of the chain that is furthest behind; null until every chain has a snapshot. */
    readonly latestSnapshotAt: string | null;
  };
  /** By chain key. */
  readonly chains: Readonly<Record<string, ChainHealth>>;
}

/** An active chain: element of `chains`. */
export interface ChainInfo {
  readonly chain: string;
  readonly chainId: number;
  readonly name: string;
  readonly relayMode: 'managed-fork' | 'chain';
  /** Of the listed vaults. */
  readonly assets: readonly Asset[];
  readonly contracts: {
    readonly entryPoint: Address;
    readonly implementation: Address;
    readonly validator: Address;
    readonly executor: Address;
    readonly paymaster: Address;
    readonly usdc: Address;
  };
  readonly intentLifetimeSeconds: number;
  /** Blocks on top of a result before it is final. */
  readonly confirmations: number;
}

export interface ChainsResponse {
  readonly chains: readonly ChainInfo[];
}

/** Payment requirements of x402 v2: one way to pay. */
export interface PaymentRequirements {
  readonly scheme: string;
  /** CAIP-2, for example `eip155:8453`. */
  readonly network: string;
  /** Base units of the asset. */
  readonly amount: string;
  readonly asset: string;
  readonly payTo: string;
  readonly maxTimeoutSeconds: number;
  /** Name and version in the EIP-712 domain of the asset. */
  readonly extra: Readonly<Record<string, unknown>>;
}

/** Payment requirements of x402 v1. */
export interface PaymentRequirementsV1 extends Omit<PaymentRequirements, 'amount'> {
  /** Base units of the asset. */
  readonly maxAmountRequired: string;
  /** Absolute URL. */
  readonly resource: string;
  readonly description: string;
  readonly mimeType: string;
  readonly outputSchema?: Readonly<Record<string, unknown>>;
}

/** A priced resource: element of `items` in the price list. */
export interface PricedItem {
  /** Absolute URL. */
  readonly resource: string;
  readonly type: 'http';
  readonly method: string;
  readonly description: string;
  readonly accepts: readonly PaymentRequirements[];
  /** Extensions of x402 v2; `bazaar` has the schemas of input and output. */
  readonly extensions?: Readonly<Record<string, unknown>>;
}

/** Response of `/.well-known/x402`. */
export interface PricesResponse {
  readonly version: 1;
  readonly x402Version: 2;
  /** Absolute URL of each resource. */
  readonly resources: readonly string[];
  readonly items: readonly PricedItem[];
}

/** Body of every error but 402. */
export interface ErrorResponse {
  /** HTTP status. */
  readonly statusCode: number;
  /** The documented sentence. */
  readonly error: string;
  readonly code: ErrorCode;
  /** What was wrong with this call. */
  readonly detail: string;
  /** Whether the same call may succeed later. */
  readonly retryable: boolean;
  /** What the caller does next, in one sentence. */
  readonly nextAction: string;
  /** For example `violations`, `supportedChains`, `aaCode` or `revertReason`. */
  readonly details: Readonly<Record<string, Json>>;
  readonly requestId: string;
}

/** Body of a 402: terms of x402 v1. The header `PAYMENT-REQUIRED` has the terms of v2. */
export interface PaymentRequiredResponse {
  readonly x402Version: number;
  readonly error: string;
  readonly accepts: readonly PaymentRequirementsV1[];
  readonly code: string;
  readonly requestId: string;
}
