import type { TiedProcess } from '@yield-vault/forks/anvil';
import { chainFacts, type ContractAddresses } from '@yield-vault/contracts';
import { localChainIds, type LocalChainId } from '@yield-vault/testing/local';
import type { Address } from 'viem';

/** Key of a devnet chain, as the facts of the chain write it. There is one for each local chain. */
export type DevnetChainKey = string;

/** Every chain that a devnet can have. */
export const devnetChainIds: ReadonlyMap<DevnetChainKey, LocalChainId> = new Map(
  localChainIds.map((chainId) => [chainFacts(chainId).key, chainId]),
);

/** Ports of one chain; 0 means any free port. */
export interface DevnetPorts {
  readonly rpc: number;
  readonly bundler: number;
}

/** Where wallets act: on the chains, or on a persistent fork of each in a fork service. */
export type RelayMode = 'chain' | 'managed-fork';

/**
 * The paymaster that takes USDC for gas: ours, a stand-in for Circle's, or one that pays for operations signed by a service
 * with the key of this address.
 */
export type DevnetPaymaster = 'own' | 'circle' | { readonly service: Address };

/** How wallets pay for gas. */
export interface DevnetGas {
  /** `own` by default. */
  readonly paymaster?: DevnetPaymaster;
}

export interface DevnetOptions {
  /** Only with relay mode `chain`: the fork service supports the default alone. */
  readonly gas?: DevnetGas;
  /** `chain` by default. */
  readonly relayMode?: RelayMode;
  /** Whether payments are settled where wallets act. */
  readonly paid?: boolean | undefined;
  /** Chains to start; Ethereum and Base by default. */
  readonly chains?: readonly DevnetChainKey[];
  /** Ports per chain; free ones by default. */
  readonly ports?: Readonly<Record<DevnetChainKey, DevnetPorts>>;
  /** Port of the fork service; any free one by default. */
  readonly forkServicePort?: number;
  /** Days of hourly blocks that lie behind the present; 36 by default, so that 35 whole days are there. */
  readonly historyDays?: number;
  /** Start a bundler per chain; true by default. */
  readonly bundlers?: boolean;
  /** Mine blocks without a transaction; true by default. */
  readonly idleBlocks?: boolean;
  /** Folder for the logs of bundlers and fork service; created when missing. Without it they are dropped. */
  readonly logDirectory?: string;
  /** Receives a sentence for each step of the start. */
  readonly onProgress?: (message: string) => void;
  /** Called when a process of the devnet ends by itself after the start. */
  readonly onFailure?: (error: Error) => void;
}

/** A running local chain with its bundler. */
export interface DevnetChain {
  readonly key: DevnetChainKey;
  readonly chainId: LocalChainId;
  /** The chain itself. */
  readonly rpcUrl: string;
  /** RPC for wallets and bundler: the chain, or its persistent fork. */
  readonly walletRpcUrl: string;
  /** Empty when the devnet was started without bundlers. */
  readonly bundlerUrl: string;
  readonly entryPoint: Address;
  /** The contracts that wallets use. */
  readonly contracts: ContractAddresses;
}

/** A running server of this repository. */
export interface AppProcess extends TiedProcess {
  readonly url: string;
  /** Stop it gracefully: requests under way finish. */
  readonly stop: () => Promise<void>;
}

/** Address and operator credential of a fork service. */
export interface ForkServiceAccess {
  readonly url: string;
  readonly credential: string;
}

/** A running fork service. */
export interface ForkServiceProcess extends AppProcess, ForkServiceAccess {
  /** RPC address of the persistent fork of a chain; it stays the same when the fork is recreated. */
  rpcUrlOf(key: DevnetChainKey): string;
}

export interface Devnet {
  readonly chains: readonly DevnetChain[];
  /** Absent when wallets act on the chains themselves. */
  readonly forkService?: ForkServiceProcess;
  /** End every process and remove what they wrote. Safe to call more than once. */
  stop(): Promise<void>;
}
