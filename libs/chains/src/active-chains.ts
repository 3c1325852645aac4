import { ChainNotActiveError, ForksNotConfiguredError } from '@yield-vault/protocol';
import type { Hex, PublicClient } from 'viem';
import type { Bundler, BundlerClient } from './bundler/bundler.js';
import { combineBundlers } from './bundler/combine-bundlers.js';
import { createBundler } from './bundler/create-bundler.js';
import type { ChainConfig } from './config/chain-schema.js';
import { createPaymasterService } from './paymaster-service/create-paymaster-service.js';
import type { PaymasterService } from './paymaster-service/paymaster-service.js';
import { createRpc, type RpcOptions } from './rpc/create-rpc.js';

/** A configured chain with its clients. */
export interface ActiveChain extends ChainConfig {
  /** As the interface names it, e.g. `base`. */
  readonly key: string;
  /** Of a chain that lacks its fork: @throws {ForksNotConfiguredError} on access */
  readonly rpc: PublicClient;
  /** A client of each of `rpcUrls` alone, in their order, without failover. */
  readonly nodes: readonly PublicClient[];
  readonly bundler: Bundler | undefined;
  /** A client of each of `bundlerUrls` alone, in their order. `bundler` combines them. */
  readonly bundlers: readonly BundlerClient[];
  /** Of a chain whose paymaster is of the kind `erc7677`. */
  readonly paymasterService: PaymasterService | undefined;
  explorerTxUrl(hash: Hex): string;
}

/** The chains of a deployment. */
export interface ActiveChains {
  readonly keys: readonly string[];
  readonly all: readonly ActiveChain[];
  /** `undefined` also for a chain that lacks its fork. */
  find(key: string): ActiveChain | undefined;
  /** @throws {ForksNotConfiguredError} for a chain that lacks its fork */
  findById(chainId: number): ActiveChain | undefined;
  /**
   * @throws {ChainNotActiveError} with `details.supportedChains`
   * @throws {ForksNotConfiguredError} for a chain that lacks its fork
   */
  require(key: string): ActiveChain;
}

/** The forks that replace chains on which wallets act. */
export interface WalletForks {
  /** The RPC of the persistent fork of a chain. */
  rpcUrl(chain: string): string;
}

/** Create the clients of every configured chain, with circuit breakers of their own. Sends no request. */
export function createActiveChains(
  deployment: { readonly chains: Readonly<Record<string, ChainConfig>> },
  options?: RpcOptions,
): ActiveChains {
  const all = Object.entries(deployment.chains).map(([key, config]) =>
    createActiveChain(key, config, options),
  );
  const keys = all.map(({ key }) => key);
  const isUsable = ({ rpcUrls }: ActiveChain) => rpcUrls.length > 0;
  const requireUsable = (chain: ActiveChain): ActiveChain => {
    if (!isUsable(chain)) throw forkMissing(chain.key);
    return chain;
  };
  return Object.freeze({
    keys,
    all,
    find: (key: string) => all.find((chain) => chain.key === key && isUsable(chain)),
    findById: (chainId: number) => {
      const chain = all.find((each) => each.chainId === chainId);
      return chain && requireUsable(chain);
    },
    require: (key: string) => {
      const chain = all.find((each) => each.key === key);
      if (chain) return requireUsable(chain);
      throw new ChainNotActiveError({
        detail: `The chain ${JSON.stringify(key)} is not active on this deployment.`,
        details: { supportedChains: keys },
      });
    },
  });
}

/**
 * List the chains as wallets use them: a managed fork replaces the RPC of its chain. Without `forks`, such a chain has no
 * RPC, and what needs it throws `ForksNotConfiguredError`.
 */
export function walletChains(
  chains: Readonly<Record<string, ChainConfig>>,
  forks: WalletForks | undefined,
): Readonly<Record<string, ChainConfig>> {
  const seen = Object.entries(chains).map(([key, config]): [string, ChainConfig] => {
    if (config.relayMode === 'chain') return [key, config];
    // A fork makes blocks only for the operations of wallets.
    const { maxHeadAgeSeconds: _, ...fork } = config;
    return [key, { ...fork, rpcUrls: forks ? [forks.rpcUrl(key)] : [] }];
  });
  return Object.fromEntries(seen);
}

const forkMissing = (chain: string): ForksNotConfiguredError =>
  new ForksNotConfiguredError({
    detail: `Wallets act on a managed fork of ${chain}, and no forks are configured.`,
    details: { chain },
  });

function createActiveChain(key: string, config: ChainConfig, options?: RpcOptions): ActiveChain {
  const explorerTxUrl = (hash: Hex) => `${config.explorerUrl}/tx/${hash}`;
  if (config.rpcUrls.length === 0)
    return Object.freeze({
      ...config,
      key,
      get rpc(): never {
        throw forkMissing(key);
      },
      nodes: [],
      bundler: undefined,
      bundlers: [],
      paymasterService: undefined,
      explorerTxUrl,
    });
  const rpc = createRpc(key, config, options);
  const nodes = config.rpcUrls.map((url) => createRpc(key, { ...config, rpcUrls: [url] }));
  const observer = options?.observer;
  const bundlers = config.bundlerUrls.map((_, place) => createBundler(key, config, place, rpc, observer));
  const bundler = bundlers.length > 1 ? combineBundlers(config, bundlers) : bundlers[0];
  const { paymaster } = config;
  const paymasterService =
    paymaster.kind === 'erc7677' ? createPaymasterService(key, config, paymaster, observer) : undefined;
  return Object.freeze({ ...config, key, rpc, nodes, bundler, bundlers, paymasterService, explorerTxUrl });
}
