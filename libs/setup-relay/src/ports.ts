import type { ActiveChain, ActiveChains } from '@yield-vault/chains';
import type { SetupSubmissionState } from '@yield-vault/database';
import type { SetupRelayResponse } from '@yield-vault/protocol';
import type { Address, Hex } from 'viem';

/** The chains on which setups are relayed. */
export type SetupChains = Pick<ActiveChains, 'keys'> & {
  findById(chainId: number): SetupChain | undefined;
};

/** A chain on which setups are relayed. */
export type SetupChain = Pick<
  ActiveChain,
  | 'key'
  | 'chainId'
  | 'relayMode'
  | 'confirmations'
  | 'entryPoint'
  | 'contracts'
  | 'paymaster'
  | 'usdc'
  | 'rpc'
>;

/** Mines on managed forks at once. An idle fork mines only one block every 15 s. */
export interface ForksPort {
  /**
   * @param blocks - how many to add to the fork of a chain
   * @throws {ForkNotRunningError} when the fork does not respond
   */
  confirm(chain: string, blocks: number): Promise<void>;
}

/** Knows which blocks the follower of each chain stored. */
export interface BlockEventsPort {
  /**
   * Wait for a block.
   *
   * @returns true once it is stored; false after the timeout, an abort, or soon while nobody follows the chain
   */
  reach(chainId: number, block: bigint, timeoutMs: number, signal?: AbortSignal): Promise<boolean>;
}

/** Identity of a setup transaction. */
export interface SetupSubmissionKey {
  readonly txHash: Hex;
  readonly chainId: number;
  readonly wallet: Address;
  readonly ticketId: Hex;
}

/** A setup transaction of the ledger. `submitted` is stored before the node gets it. */
export interface SetupSubmission extends SetupSubmissionKey {
  readonly state: SetupSubmissionState;
  /** The first response; present when confirmed. */
  readonly response?: SetupRelayResponse;
}

/** The exclusive right to work on a setup transaction, for a time. */
export interface SetupLease {
  readonly owner: string;
  readonly seconds: number;
}

/** The ledger of setup transactions. Every method is atomic, and returns after the database committed. */
export interface SetupStore {
  find(txHash: Hex): Promise<SetupSubmission | undefined>;
  /** Reserve a new transaction, or take over one whose lease has expired; `owned` says whether either worked. */
  reserve(
    key: SetupSubmissionKey,
    lease: SetupLease,
  ): Promise<{ readonly owned: boolean; readonly submission: SetupSubmission }>;
  renew(txHash: Hex, lease: SetupLease): Promise<void>;
  /** Release the lease and keep the transaction. */
  release(txHash: Hex, owner: string): Promise<void>;
  markSubmitted(txHash: Hex): Promise<void>;
  /** Delete the reservation of a transaction that reached no chain. */
  deleteReservation(txHash: Hex, owner: string): Promise<void>;
  complete(txHash: Hex, response: SetupRelayResponse): Promise<void>;
  /** Return a confirmed transaction, whose block was reorganised, to `submitted`, free for a new lease. */
  reopen(txHash: Hex): Promise<void>;
  /** Delete a confirmed transaction whose managed fork is gone. */
  deleteLost(txHash: Hex): Promise<void>;
}
