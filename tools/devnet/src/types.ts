import type { SuiteAddresses } from '@yield-vault/contracts';
import type { LocalChainId } from '@yield-vault/contracts/local';
import type { EntryPointVersion } from '@yield-vault/protocol';
import type { Address } from 'viem';
import type { ForkServiceProcess } from './deployment/start-fork-service.js';

/** Key of a devnet chain, as the service writes it. */
export type DevnetChainKey = 'ethereum' | 'base';

export const devnetChainIds: Readonly<Record<DevnetChainKey, LocalChainId>> = { ethereum: 1, base: 8453 };

/** Ports of one chain; 0 means any free port. */
export interface DevnetPorts {
  readonly rpc: number;
  readonly bundler: number;
}

/** What wallets act on: the chains themselves, or a persistent fork of each in a fork service. */
export type RelayMode = 'chain' | 'managed-fork';

/**
 * Who takes USDC for gas: the paymaster of the suite, a stand-in for Circle's, or one that pays for what a service has
 * signed with the key of this address.
 */
export type DevnetPaymaster = 'own' | 'circle' | { readonly service: Address };

/** Through what wallets pay for gas. */
export interface DevnetGas {
  /** 0.8 by default. */
  readonly entryPointVersion?: EntryPointVersion;
  /** `own` by default. */
  readonly paymaster?: DevnetPaymaster;
}

export interface DevnetOptions {
  /** Only where wallets act on the chains themselves: the fork service knows the default alone. */
  readonly gas?: DevnetGas;
  /** `chain` by default. */
  readonly relayMode?: RelayMode;
  /** Whether payments are settled where wallets act. */
  readonly paid?: boolean | undefined;
  /** Chains to start; both by default. */
  readonly chains?: readonly DevnetChainKey[];
  /** Ports per chain; free ones by default. */
  readonly ports?: Partial<Record<DevnetChainKey, DevnetPorts>>;
  /** Port of the fork service; any free one by default. */
  readonly forkServicePort?: number;
  /** Days of hourly blocks that lie behind the present; 36 by default, so that 35 whole days are there. */
  readonly historyDays?: number;
  /** Start a bundler per chain; true by default. */
  readonly bundlers?: boolean;
  /** Folder for the logs of bundlers and fork service; created when missing. Without it they are dropped. */
  readonly logDirectory?: string;
  /** Told in plain words what is being done. */
  readonly onProgress?: (message: string) => void;
  /** Told when a process of the devnet ends by itself after the start. */
  readonly onFailure?: (error: Error) => void;
}

/** A running local chain with its bundler. */
export interface DevnetChain {
  readonly key: DevnetChainKey;
  readonly chainId: LocalChainId;
  /** The chain itself. */
  readonly rpcUrl: string;
  /** What wallets and bundler act on: the same, or the persistent fork of the chain. */
  readonly walletRpcUrl: string;
  /** Empty when the devnet was started without bundlers. */
  readonly bundlerUrl: string;
  readonly entryPoint: Address;
  /** The suite that wallets use. */
  readonly contracts: SuiteAddresses;
}

export interface Devnet {
  readonly chains: readonly DevnetChain[];
  /** Absent when wallets act on the chains themselves. */
  readonly forkService?: ForkServiceProcess;
  /** End every process and remove what they wrote. Safe to call more than once. */
  stop(): Promise<void>;
}
