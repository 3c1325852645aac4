import type { TransactionReceipt } from 'viem';
import type { Fork, ForkHealth, ForkRecord } from './types.js';

/** A logger such as pino. */
export interface ForkLogger {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface LaunchOptions {
  readonly id: string;
  /** The newest block by default. */
  readonly block?: bigint;
  readonly signal?: AbortSignal;
}

export interface UnsignedTransaction {
  readonly from: `0x${string}`;
  readonly to: `0x${string}`;
  readonly data?: `0x${string}`;
  readonly value?: bigint;
}

/** A bare fork: an Anvil at a block, with nothing provisioned and without a record. */
export interface LaunchedFork extends Pick<Fork, 'rpcUrl' | 'request' | 'mine'> {
  readonly forkBlock: bigint;
  /** Send a transaction from any account and wait for its receipt, reverted or not. */
  sendAs(transaction: UnsignedTransaction): Promise<TransactionReceipt>;
  /** Add ETH to a balance, atomically. */
  addEth(address: `0x${string}`, wei: bigint): Promise<void>;
  setCode(address: `0x${string}`, code: `0x${string}`): Promise<void>;
  setStorageAt(address: `0x${string}`, slot: `0x${string}`, value: `0x${string}`): Promise<void>;
  /** Dump everything that differs from the upstream chain. */
  dumpState(): Promise<`0x${string}`>;
  loadState(state: `0x${string}`): Promise<void>;
  /** Resolves with a reason when the fork ends by itself. */
  readonly ended: Promise<string>;
  destroy(): Promise<void>;
}

/**
 * Manages forks: in the fork service the manager of its Anvil processes, elsewhere a client of the fork service.
 *
 * @throws {ForkNotRunningError} the fork, or the fork service, does not respond; retryable
 * @throws {ForkCapacityError} the limit of forks is reached; retryable
 */
export interface ForkProvider {
  /** Get the persistent fork of a chain. It is created and provisioned on first use, and again when it is gone. */
  persistent(chain: string): Promise<Fork>;
  /** Create an ephemeral fork at the newest block. It is not provisioned. */
  create(chain: string, options?: { readonly signal?: AbortSignal }): Promise<Fork>;
  find(id: string): Promise<Fork | undefined>;
  list(): Promise<readonly ForkRecord[]>;
  /** Destroy a fork. An unknown id is no error. */
  destroy(id: string): Promise<void>;
  health(): Promise<ForkHealth>;
  close(): Promise<void>;
}
