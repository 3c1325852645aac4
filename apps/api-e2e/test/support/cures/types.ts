import type { RpcProxy } from '@yield-vault/testing';
import type { ErrorCode, PrepareSetupResponse } from '@yield-vault/protocol';
import type { Address } from 'viem';
import type { DevnetChains } from '../devnet.js';
import type { ErrorBody, ApiClient } from '../api-client.js';
import type { FundedAgent } from '../funded-agent.js';

/** A server of the table, and what callers of it can do beside it. */
export interface Place {
  readonly url: string;
  readonly api: ApiClient;
  readonly chains: DevnetChains;
  /** In front of the RPC and the bundler of Base. */
  readonly rpc: RpcProxy;
  readonly bundler: RpcProxy;
  /** A wallet that is set up and holds plenty of USDC. */
  readonly agent: FundedAgent;
  /** The best USDC vault of Base. */
  readonly vault: { readonly vaultId: string; readonly vaultAddress: Address };
  /** Make a wallet with 50 USDC and 0.005 ETH. */
  fresh(): Promise<FundedAgent>;
}

/** A request that is refused, and what the caller wanted by it. */
export interface Request {
  readonly agent: FundedAgent;
  readonly method?: 'GET' | 'POST';
  readonly path: string;
  readonly body?: object | string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The body without the mistake. */
  readonly meant?: object;
  /** The request of prepare that the caller wants to have executed. */
  readonly wanted?: object;
  /** What prepare returned to a wallet that is not set up. */
  readonly prepared?: PrepareSetupResponse;
  /** What lets the world go on after the refusal. */
  readonly afterwards?: () => Promise<unknown>;
  /** Part of the last response; an executed intent by default. */
  readonly goal?: object;
}

/** One error that a caller can cure. */
export interface Row {
  readonly code: ErrorCode;
  /** In `details`: the reason, the failed check, the EntryPoint code or the vault check. */
  readonly reason?: string;
  readonly name: string;
  readonly on?: 'paid' | 'forked';
  /** Whether the request reaches the chain before it is refused. */
  readonly isSent?: true;
  make(place: Place): Request | Promise<Request>;
}

export type Refusal = ErrorBody & { readonly status: number };
