import type { Address, Hex } from 'viem';
import type { BlockRef, SimulatedCall } from '../types.js';
import type { Reservation } from './serve-gateway.js';

/** One chain's upstream RPC as it is given to a gateway. */
export interface GatewayOptions {
  readonly chain: { readonly key: string; readonly chainId: number; readonly opStack: boolean };
  /** In order of preference. They may carry credentials: never shown. */
  readonly upstreamUrls: readonly string[];
  /** Longest time for one question to the upstream, retries included, in milliseconds (6,000). */
  readonly deadlineMs?: number;
  /** Most calls in one HTTP request (500); lowered by itself when the upstream refuses a batch as too large. */
  readonly batchLimit?: number;
  /**
   * How long one endpoint may lag behind another, in milliseconds (30,000). 0 where there is but one node: a head that
   * goes back is then that of another chain, or of one that was taken back.
   */
  readonly longestLagMs?: number;
  /** Most accounts, slots and headers kept (20,000). */
  readonly cacheEntries?: number;
  /** Unix milliseconds; `Date.now` by default. */
  readonly now?: () => number;
}

/** Stands between the hosts of a chain and its upstream RPC. */
export interface RpcGateway {
  /**
   * Look up the newest block. Asked at most once at a time; an answer younger than `maxAgeMs` is reused.
   *
   * @param likely What will be simulated there: what it needs comes along in the same request where that can be.
   * @throws {UpstreamUnavailableError} The chain does not answer; retryable.
   */
  head(maxAgeMs: number, likely?: LikelyUse): Promise<BlockRef>;
  /** Whether `head` would have to ask the chain. */
  mustAsk(maxAgeMs: number): boolean;
  /** The address for a host that is pinned to this block. */
  urlFor(block: BlockRef): string;
  /** An address for a host that starts while its block is being looked up. */
  reserve(): Reservation;
  /**
   * Load what calls of a template are likely to touch: one request for a known template, two for another one. What
   * cannot be foreseen is loaded when a host asks for it.
   *
   * @throws {UpstreamUnavailableError} The chain does not answer, or has replaced the block; retryable.
   */
  prefetch(block: BlockRef, template: string | undefined, calls: readonly SimulatedCall[]): Promise<void>;
  /**
   * What is known of the storage that calls of a template are likely to read on a block, once they are prefetched. A
   * simulation that is given it need not read it. None on some blocks, which show what is still read.
   */
  foreseenStorage(
    block: BlockRef,
    template: string | undefined,
    calls: readonly SimulatedCall[],
  ): KnownStorage;
  stats(): GatewayStats;
  close(): Promise<void>;
}

/** Values of storage slots by contract; addresses in lower case, 32 bytes for slots and values. */
export type KnownStorage = Readonly<Record<Address, Readonly<Record<Hex, Hex>>>>;

/** What will be simulated. */
export interface LikelyUse {
  readonly template?: string;
  readonly calls: readonly SimulatedCall[];
}

/** Counted since the gateway was made. */
export interface GatewayStats {
  /** Questions of hosts about state that could not be answered without the upstream. */
  readonly misses: number;
}

/** One JSON-RPC call. */
export interface RpcCall {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** What a node answered to one call. */
export type RpcOutcome =
  { readonly result: unknown } | { readonly error: { readonly code: number; readonly message: string } };
