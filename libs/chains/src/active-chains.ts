import { ChainNotActiveError } from '@yield-vault/protocol';
import type { Hex, PublicClient } from 'viem';
import type { Bundler } from './bundler/bundler.js';
import { createBundler } from './bundler/create-bundler.js';
import type { ChainConfig } from './config/chain-schema.js';
import { createPaymasterService } from './paymaster-service/create-paymaster-service.js';
import type { PaymasterService } from './paymaster-service/paymaster-service.js';
import { createRpc, type RpcOptions } from './rpc/create-rpc.js';

/** A configured chain with its clients. */
export interface ActiveChain extends ChainConfig {
  /** As the interface names it, e.g. `base`. */
  readonly key: string;
  readonly rpc: PublicClient;
  /** A client of each of `rpcUrls` alone, in their order, without failover. */
  readonly nodes: readonly PublicClient[];
  readonly bundler: Bundler | undefined;
  /** Of a chain whose paymaster is of the kind `erc7677`. */
  readonly paymasterService: PaymasterService | undefined;
  explorerTxUrl(hash: Hex): string;
}

/** The chains of a deployment. */
export interface ActiveChains {
  readonly keys: readonly string[];
  readonly all: readonly ActiveChain[];
  find(key: string): ActiveChain | undefined;
  findById(chainId: number): ActiveChain | undefined;
  /** @throws {ChainNotActiveError} with `details.supportedChains` */
  require(key: string): ActiveChain;
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
  const find = (key: string) => all.find((chain) => chain.key === key);
  return Object.freeze({
    keys,
    all,
    find,
    findById: (chainId: number) => all.find((chain) => chain.chainId === chainId),
    require: (key: string) => {
      const chain = find(key);
      if (chain) return chain;
      throw new ChainNotActiveError({
        detail: `The chain ${JSON.stringify(key)} is not active on this deployment.`,
        details: { supportedChains: keys },
      });
    },
  });
}

function createActiveChain(key: string, config: ChainConfig, options?: RpcOptions): ActiveChain {
  const rpc = createRpc(key, config, options);
  const nodes = config.rpcUrls.map((url) => createRpc(key, { ...config, rpcUrls: [url] }));
  const observer = options?.observer;
  const bundler =
    config.bundlerUrl === null ? undefined : createBundler(key, config, config.bundlerUrl, rpc, observer);
  const { paymaster } = config;
  const paymasterService =
    paymaster.kind === 'erc7677' ? createPaymasterService(key, config, paymaster, observer) : undefined;
  const explorerTxUrl = (hash: Hex) => `${config.explorerUrl}/tx/${hash}`;
  return Object.freeze({ ...config, key, rpc, nodes, bundler, paymasterService, explorerTxUrl });
}
