import { createCalls, requireForks, waitOrGiveUp, type Waiting } from '@yield-vault/chains';
import {
  setupChecks,
  setupTicketId,
  type SetupRelayRequest,
  type SetupRelayResponse,
  type SetupTicket,
} from '@yield-vault/protocol';
import { randomUUID } from 'node:crypto';
import { keccak256, type Hex } from 'viem';
import { broadcastTransaction, isRefusal, mayBeMined } from './broadcast.js';
import type { ForksPort, SetupChain, SetupChains, SetupLease, SetupStore, SetupSubmission } from './ports.js';
import { awaitReceipt, isLostWithFork, notConfirmed, requireSuccess } from './receipt.js';
import { checkImplementation, checkNotExpired, expiryOf, requireActiveChain } from './ticket.js';
import { checkTransaction, parseSetupTransaction, type SetupTransaction } from './transaction.js';
import { verifyWallet } from './verify-wallet.js';

export interface SetupRelayOptions {
  /** Longest life of a ticket. */
  readonly ticketLifetimeSeconds: number;
  /** How long a call waits for the confirmations. */
  readonly waitSeconds: number;
  /** Allowance of a paymaster that takes USDC, in base units; part of the setup call data. */
  readonly paymasterAllowanceUsdc: bigint;
  /** How long a lease lasts without renewal (15). */
  readonly leaseSeconds?: number;
  /** First pause between two polls of the chain in milliseconds (50); later ones grow to a second. */
  readonly pollMs?: number;
}

export interface SetupRelayDependencies {
  readonly chains: SetupChains;
  readonly store: SetupStore;
  /** Needed where a chain is a managed fork. */
  readonly forks?: ForksPort;
  readonly options: SetupRelayOptions;
  /** Unix milliseconds. */
  readonly now?: () => number;
}

export interface SetupRelay {
  /**
   * Check a setup ticket and its signed transaction, broadcast it, wait for it and verify the wallet on chain.
   * The same transaction again returns the first response, without a second broadcast, unless its managed fork was
   * recreated.
   *
   * @throws {SetupTicketRejectedError} when a check of the ticket fails; `details.failedCheck` names it
   * @throws {SetupTransactionRejectedError} when a check of the transaction fails; `details.failedCheck` names it
   * @throws {SetupTransactionRevertedError} when it was mined and reverted
   * @throws {TransactionPendingError} when it is not confirmed in time; repeat the call to wait on
   * @throws {UpstreamUnavailableError} when a dependency does not respond, or the service shuts down
   * @throws {ForkNotRunningError} when the managed fork of the chain does not respond; it is recreated
   * @throws {ForksNotConfiguredError} when the chain is a managed fork and the deployment has none
   */
  relay(request: SetupRelayRequest): Promise<SetupRelayResponse>;
  /** Take no new calls and end those that only wait. The next call takes their transactions over. */
  drain(): Promise<void>;
}

interface CheckedSetup {
  readonly chain: SetupChain;
  readonly transaction: SetupTransaction;
  readonly ticket: SetupTicket;
  readonly ticketId: Hex;
  readonly confirmations: number;
}

// No node lags further behind, and each keeps the state of these blocks.
const freshBlocks = 32n;

/** Make the setup relay of a deployment. */
export function createSetupRelay(dependencies: SetupRelayDependencies): SetupRelay {
  const { chains, store, forks, options, now = Date.now } = dependencies;
  const { leaseSeconds = 15, pollMs = 50 } = options;
  const calls = createCalls('setup-relay');

  const isLost = (submission: SetupSubmission) =>
    isLostWithFork(chains.findById(submission.chainId), submission);

  async function relay(request: SetupRelayRequest): Promise<SetupRelayResponse> {
    const { setupTicket: ticket, signedRawTx } = request;
    expiryOf(ticket);
    const known = await store.find(keccak256(signedRawTx));
    const sameCall = known?.ticketId === setupTicketId(ticket) ? known : undefined;
    if (sameCall?.response && !(await isLost(sameCall))) return sameCall.response;
    return reserveAndResolve(await check(request, sameCall?.state === 'submitted'));
  }

  async function check(request: SetupRelayRequest, wasSubmitted: boolean): Promise<CheckedSetup> {
    const { setupTicket: ticket, signedRawTx, confirmations } = request;
    const { ticketLifetimeSeconds: lifetimeSeconds, paymasterAllowanceUsdc } = options;
    // The expiry of a ticket matters only before its transaction is submitted.
    if (!wasSubmitted) checkNotExpired(ticket, { nowMs: now(), lifetimeSeconds });
    const chain = requireActiveChain(ticket, chains);
    requireForks([chain], forks !== undefined);
    checkImplementation(ticket, chain);
    const transaction = parseSetupTransaction(signedRawTx, ticket.setupType);
    await checkTransaction(transaction, ticket, chain, paymasterAllowanceUsdc);
    return { chain, transaction, ticket, ticketId: setupTicketId(ticket), confirmations };
  }

  async function reserveAndResolve(setup: CheckedSetup): Promise<SetupRelayResponse> {
    const { hash: txHash } = setup.transaction;
    const key = {
      txHash,
      chainId: setup.chain.chainId,
      wallet: setup.ticket.walletAddress,
      ticketId: setup.ticketId,
    };
    const lease = { owner: randomUUID(), seconds: leaseSeconds };
    const deadlineMs = now() + options.waitSeconds * 1000;
    const waiting = { deadlineMs, pollMs, now, signal: calls.signal };
    for (let polls = 0; ; polls++) {
      const { owned, submission } = await store.reserve(key, lease);
      if (submission.response) {
        if (!(await isLost(submission))) return submission.response;
        await store.deleteLost(txHash);
        continue;
      }
      if (owned) return resolve(setup, submission, lease, waiting);
      await waitOrGiveUp(notConfirmed(txHash), waiting, polls);
    }
  }

  async function resolve(
    setup: CheckedSetup,
    submission: SetupSubmission,
    lease: SetupLease,
    waiting: Waiting,
  ): Promise<SetupRelayResponse> {
    const { chain, transaction, ticket, confirmations } = setup;
    const { hash } = transaction;
    try {
      await broadcast(setup, submission, lease);
      const { receipt, head } = await awaitReceipt(chain, hash, confirmations, waiting, {
        forks: chain.relayMode === 'managed-fork' ? forks : undefined,
        onPoll: () => store.renew(hash, lease),
      });
      await requireSuccess(chain, transaction, ticket, receipt);
      const confirmedIn = receipt.blockNumber + BigInt(confirmations - 1);
      const isFresh = head - confirmedIn < freshBlocks;
      const response: SetupRelayResponse = {
        txHash: hash,
        receiptStatus: 'success',
        blockNumber: receipt.blockNumber.toString(),
        relayMode: chain.relayMode,
        setupType: ticket.setupType,
        delegationVerified: true,
        modulesVerified: true,
        verifiedImplementation: await verifyWallet(chain, ticket, isFresh ? confirmedIn : undefined),
        setupRequired: 'none',
        verificationChecks: setupChecks.filter(
          (name) => name !== 'auth-list-valid' || transaction.type === 'eip7702',
        ),
      };
      await store.complete(hash, response);
      return response;
    } catch (error) {
      // After a failure, the lease expires by itself.
      await store.release(hash, lease.owner).catch(() => undefined);
      throw error;
    }
  }

  async function broadcast(
    { chain, transaction, ticket }: CheckedSetup,
    submission: SetupSubmission,
    lease: SetupLease,
  ): Promise<void> {
    try {
      await broadcastTransaction(chain, transaction, ticket, store);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      // A fork keeps each transaction, so an unknown one never reached it.
      const wasSubmitted = submission.state === 'submitted' && chain.relayMode === 'chain';
      if (!wasSubmitted) await store.deleteReservation(transaction.hash, lease.owner);
      else if (await mayBeMined(chain, transaction, ticket, error)) return;
      throw error;
    }
  }

  return {
    relay: (request) => calls.run(() => relay(request)),
    drain: () => calls.drain(),
  };
}
