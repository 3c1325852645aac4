import type {
  EphemeralFork,
  EphemeralForkOptions,
  Fork,
  ForkChain,
  ForkHealth,
  ForkRecord,
} from './types.js';

/** Told what happens; pino fits. */
export interface ForkLogger {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/**
 * Makes bare forks: at a block, with nothing provisioned. The Anvil launcher starts processes, the Tenderly launcher
 * asks its REST API.
 */
export interface ForkLauncher {
  readonly kind: 'anvil' | 'tenderly';
  launch(chain: ForkChain, options: LaunchOptions): Promise<LaunchedFork>;
  /**
   * Take over the persistent fork of a chain that an earlier process left running. Absent where forks end with their
   * process.
   */
  resume?(chain: ForkChain): Promise<ResumedFork | undefined>;
  /** Whether it answers, and its version, e.g. `anvil/v1.7.1`. */
  probe(): Promise<{ readonly isUp: boolean; readonly version: string }>;
  /** End forks that an earlier process left behind, those excepted that can be resumed. */
  reap(): Promise<void>;
  close(): Promise<void>;
}

export interface LaunchOptions {
  readonly id: string;
  readonly kind: Fork['kind'];
  /** The newest one when it is left out. */
  readonly block?: bigint;
  readonly signal?: AbortSignal;
}

/** A fork that outlived the process that launched it. */
export interface ResumedFork {
  readonly launched: LaunchedFork;
  readonly id: string;
  /** Unix milliseconds. */
  readonly createdAt: number;
}

/** A bare fork. Its methods are those of `Fork`; `fund` and the record around it come from the provider. */
export interface LaunchedFork extends Pick<
  Fork,
  'rpcUrl' | 'request' | 'sendAs' | 'mine' | 'increaseTime' | 'snapshot' | 'revert'
> {
  readonly forkBlock: bigint;
  /** Add ETH to a balance, atomically. */
  addEth(address: `0x${string}`, wei: bigint): Promise<void>;
  /** Set the balance of an ERC-20 by whatever the back end has for it. */
  setTokenBalance(token: `0x${string}`, address: `0x${string}`, baseUnits: bigint): Promise<void>;
  setCode(address: `0x${string}`, code: `0x${string}`): Promise<void>;
  setStorageAt(address: `0x${string}`, slot: `0x${string}`, value: `0x${string}`): Promise<void>;
  /** Everything that differs from the upstream chain, to be loaded later. Absent where the back end keeps it itself. */
  dumpState?(): Promise<`0x${string}`>;
  loadState?(state: `0x${string}`): Promise<void>;
  /** Resolves with a reason when the fork ends without being asked to. */
  readonly ended: Promise<string>;
  /** Let go of it and leave it running, to be resumed by a later process. Absent where that cannot be. */
  detach?(): Promise<void>;
  destroy(): Promise<void>;
}

/**
 * One port for every back end: our own manager over a launcher, or our fork service over HTTP.
 *
 * @throws {ForkNotRunningError} the fork or its back end does not answer; retryable
 * @throws {ForkCapacityError} there is no room for another fork; retryable
 */
export interface ForkProvider {
  readonly kind: 'anvil' | 'tenderly' | 'service';
  /** The persistent fork of a chain, created and provisioned on first use, recreated when it is gone. */
  persistent(chain: string): Promise<Fork>;
  /** A new fork of its own at the newest block, not provisioned. */
  create(chain: string, options?: { readonly signal?: AbortSignal }): Promise<Fork>;
  find(id: string): Promise<Fork | undefined>;
  list(): Promise<readonly ForkRecord[]>;
  /** Ends a fork; ending one that is gone is no error. */
  destroy(id: string): Promise<void>;
  health(): Promise<ForkHealth>;
  close(): Promise<void>;
}

/** Ephemeral forks of the chains that wallets act on. */
export interface EphemeralForks {
  /**
   * Take a fork at the newest block, use it, and destroy it whatever happens.
   *
   * @throws {ForkCapacityError} the queue is full, or its deadline passed in it; retryable
   * @throws {UpstreamUnavailableError} the chain does not answer; retryable
   * @throws {ForkNotRunningError} the fork died twice; retryable
   */
  withEphemeralFork<T>(
    chain: string,
    use: (fork: EphemeralFork) => Promise<T>,
    options?: EphemeralForkOptions,
  ): Promise<T>;
  list(): readonly ForkRecord[];
  close(): Promise<void>;
}
