import { canonical } from '@yield-vault/contracts';
import { createPublicClient, defineChain, type Chain, type PublicClient } from 'viem';
import type { ChainConfig } from '../config/chain-schema.js';
import { batchHttp } from './batch-http.js';
import { failover } from './failover.js';
import { guardTransport, type UpstreamObserver } from './guard-transport.js';

// Public endpoints refuse much larger batches.
const batchSize = 50;
const pollingIntervalMs = 250;

/** Describe a configured chain to viem. */
function viemChain(config: ChainConfig): Chain {
  return defineChain({
    id: config.chainId,
    name: config.name,
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: config.rpcUrls } },
    contracts: { multicall3: { address: canonical.multicall3 } },
  });
}

/** How an RPC client differs from the default. */
export interface RpcOptions {
  /** Retries of a failed read; default 2. */
  readonly retries?: number;
  readonly observer?: UpstreamObserver;
  /** What the observer calls the RPC, before the chain; `rpc` by default. Two clients of a chain need two names. */
  readonly observedAs?: 'rpc' | 'wallet-rpc';
}

/** Make the RPC client of a chain: failover over its URLs, one deadline, a circuit breaker, batching. */
export function createRpc(
  key: string,
  config: ChainConfig,
  { retries, observer, observedAs = 'rpc' }: RpcOptions = {},
): PublicClient {
  const { rpcUrls, deadlines, maxHeadAgeSeconds } = config;
  const dependency = `rpc:${key}`;
  // Each URL gets its part of the deadline, so that the last one still has time to respond.
  const timeoutMs = Math.max(1, Math.floor(deadlines.rpcMs / rpcUrls.length));
  const transports = rpcUrls.map((url) => batchHttp(url, { timeoutMs, batchSize }));
  return createPublicClient({
    chain: viemChain(config),
    transport: guardTransport(failover(transports, { dependency, maxHeadAgeSeconds }), {
      dependency,
      deadlineMs: deadlines.rpcMs,
      retries,
      observer,
      observedAs: `${observedAs}:${key}`,
    }),
    cacheTime: 0,
    pollingInterval: pollingIntervalMs,
  });
}
