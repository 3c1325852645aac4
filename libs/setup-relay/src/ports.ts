import type { ActiveChain, ActiveChains } from '@yield-vault/chains';
import type { SetupSubmissionState } from '@yield-vault/database';
import type { SetupRelayResponse } from '@yield-vault/protocol';
import type { Address, Hex } from 'viem';

/** The chains on which setups are relayed. */
export type SetupChains = Pick<ActiveChains, 'keys'> & {
  findById(chainId: number): SetupChain | undefined;
};

/** What setup-relay uses of a chain. */
export type SetupChain = Pick<
  ActiveChain,
  'key' | 'chainId' | 'relayMode' | 'entryPoint' | 'contracts' | 'paymaster' | 'usdc' | 'rpc'
>;

/** Mines on managed forks, where nobody else does. */
export interface ForksPort {
  /**
   * @param blocks - how many to add to the fork of a chain
   * @throws {ForkNotRunningError} when the fork does not answer
   */
  confirm(chain: string, blocks: number): Promise<void>;
}

/** Identity of a setup transaction that somebody asked to relay. */
export interface SetupSubmissionKey {
  readonly txHash: Hex;
  readonly chainId: number;
  readonly wallet: Address;
  readonly ticketId: Hex;
}

/** What is known about a setup transaction. `submitted` is written before the node gets it. */
export interface SetupSubmission extends SetupSubmissionKey {
  readonly state: SetupSubmissionState;
  /** The answer of the first time; present when confirmed. */
  readonly response?: SetupRelayResponse;
}

/** The right to act on a setup transaction, for a while. */
export interface SetupLease {
  readonly owner: string;
  readonly seconds: number;
}

/** Durable memory of relayed setup transactions. Every method is atomic. */
export interface SetupStore {
  find(txHash: Hex): Promise<SetupSubmission | undefined>;
  /** Take the lease of a transaction that is new or whose lease ran out; `owned` tells whether that worked. */
  claim(
    key: SetupSubmissionKey,
    lease: SetupLease,
  ): Promise<{ readonly owned: boolean; readonly submission: SetupSubmission }>;
  renew(txHash: Hex, lease: SetupLease): Promise<void>;
  /** Give the lease up and keep what is known. */
  release(txHash: Hex, owner: string): Promise<void>;
  markSubmitted(txHash: Hex): Promise<void>;
  /** Drop a transaction that reached no chain. */
  forget(txHash: Hex, owner: string): Promise<void>;
  complete(txHash: Hex, response: SetupRelayResponse): Promise<void>;
  /** Drop a confirmed transaction that its chain no longer knows. */
  discard(txHash: Hex): Promise<void>;
}
