import {
  createInFlightCalls,
  createSharedWaits,
  paymasterAllowance,
  waitOrGiveUp,
  type Waiting,
  type WaitLimits,
} from '@yield-vault/chains';
import {
  AlreadySetUpError,
  SetupTicketRejectedError,
  setupTicketId,
  SetupTransactionRejectedError,
  TransactionPendingError,
  UpstreamUnavailableError,
  type SetupRelayRequest,
  type SetupRelayResponse,
} from '@yield-vault/protocol';
import { randomUUID } from 'node:crypto';
import { keccak256, type Hex } from 'viem';
import { broadcastTransaction, rebroadcastTransaction } from './broadcast.js';
import type {
  BlockEventsPort,
  ForksPort,
  SetupChains,
  SetupLease,
  SetupStore,
  SetupSubmission,
} from './ports.js';
import { awaitReceipt, isUndone, notConfirmed } from './receipt.js';
import { buildResponse, type CheckedSetup } from './response.js';
import { checkImplementation, checkNotExpired, expiryOf, requireActiveChain } from './ticket.js';
import { checkTransaction, parseSetupTransaction } from './transaction.js';

export interface SetupRelayOptions {
  /** Longest life of a ticket. */
  readonly ticketLifetimeSeconds: number;
  /** How long a call waits for the confirmations. */
  readonly waitSeconds: number;
  /** Calls that wait at a time; by default those of `waitLimitsSchema`. */
  readonly maxWaiting?: WaitLimits;
  /** Allowance of a paymaster that takes USDC, in base units; part of the setup call data. */
  readonly paymasterAllowanceUsdc: bigint;
  /** How long a lease lasts without renewal (15). */
  readonly leaseSeconds?: number;
  /** First timed pause between two polls of the chain in milliseconds (50); later ones grow to a second. */
  readonly pollMs?: number;
}

export interface SetupRelayDependencies {
  readonly chains: SetupChains;
  readonly store: SetupStore;
  /** Needed where a chain is a managed fork. */
  readonly forks?: ForksPort;
  /** Without it, polls of the chain are timed. */
  readonly events?: BlockEventsPort;
  readonly options: SetupRelayOptions;
  /** Unix milliseconds. */
  readonly now?: () => number;
}

export interface SetupRelay {
  /**
   * Check a setup ticket and its signed transaction, broadcast it, wait for it and verify the wallet on chain.
   * The same transaction again returns the first response, unless its block was reorganised or its managed fork was
   * recreated. Once a node may have the transaction, only the chain decides.
   *
   * @throws {SetupTicketRejectedError} when a check of the ticket fails; `details.failedCheck` names it
   * @throws {SetupTransactionRejectedError} when a check of the transaction fails; `details.failedCheck` names it
   * @throws {SetupTransactionRevertedError} when it was mined and reverted
   * @param client - counts towards the limit of calls that wait for one client
   * @throws {TransactionPendingError} when it is not confirmed in time, or too many calls wait; repeat the call to wait on
   * @throws {UpstreamUnavailableError} when a dependency does not respond, or the service shuts down
   * @throws {ForkNotRunningError} when the managed fork of the chain does not respond; it is recreated
   * @throws {ForksNotConfiguredError} when the chain lacks its managed fork
   */
  relay(request: SetupRelayRequest, client?: string): Promise<SetupRelayResponse>;
  /** Take no new calls and end those that only wait. The next call takes their transactions over. */
  drain(): Promise<void>;
}

const refusals = [AlreadySetUpError, SetupTicketRejectedError, SetupTransactionRejectedError];

/** Make the setup relay of a deployment. */
export function createSetupRelay(dependencies: SetupRelayDependencies): SetupRelay {
  const { chains, store, forks, events, options, now = Date.now } = dependencies;
  const { leaseSeconds = 15, pollMs = 50 } = options;
  const calls = createInFlightCalls('setup-relay');
  const wait = createSharedWaits<SetupRelayResponse>(options.maxWaiting);

  const isOnFork = ({ chainId }: SetupSubmission) => chains.findById(chainId)?.relayMode === 'managed-fork';
  const isGone = (submission: SetupSubmission) => isUndone(chains.findById(submission.chainId), submission);

  async function relay(request: SetupRelayRequest, client?: string): Promise<SetupRelayResponse> {
    const { setupTicket: ticket, signedRawTx } = request;
    expiryOf(ticket);
    const txHash = keccak256(signedRawTx);
    try {
      const known = await store.find(txHash);
      const sameCall = known?.ticketId === setupTicketId(ticket) ? known : undefined;
      if (sameCall?.response && !(await isGone(sameCall))) return sameCall.response;
      const wasSubmitted = sameCall?.state === 'submitted' || (sameCall?.response && !isOnFork(sameCall));
      return await waitFor(await check(request, wasSubmitted ?? false), client);
    } catch (error) {
      throw (await asPending(error, txHash)) ?? error;
    }
  }

  /** If a node may have the transaction, report an outage as pending, not as a failure. */
  async function asPending(error: unknown, txHash: Hex): Promise<TransactionPendingError | undefined> {
    if (!(error instanceof UpstreamUnavailableError)) return undefined;
    const known = await store.find(txHash).catch(() => undefined);
    if (!known || known.state === 'reserved') return undefined;
    const { detail, details } = notConfirmed(txHash);
    return new TransactionPendingError({
      detail,
      details: { ...details, ...error.details },
      retryAfterSeconds: error.retryAfterSeconds,
      cause: error,
    });
  }

  async function check(request: SetupRelayRequest, wasSubmitted: boolean): Promise<CheckedSetup> {
    const { setupTicket: ticket, signedRawTx, confirmations: requiredBlocks } = request;
    const { ticketLifetimeSeconds: lifetimeSeconds, paymasterAllowanceUsdc } = options;
    // The expiry of a ticket matters only before its transaction is submitted.
    if (!wasSubmitted) checkNotExpired(ticket, { nowMs: now(), lifetimeSeconds });
    const chain = requireActiveChain(ticket, chains);
    checkImplementation(ticket, chain);
    const transaction = parseSetupTransaction(signedRawTx, ticket.setupType);
    const allowance = paymasterAllowance(chain, paymasterAllowanceUsdc);
    await checkTransaction(transaction, ticket, chain, allowance);
    return { chain, transaction, ticket, ticketId: setupTicketId(ticket), requiredBlocks, allowance };
  }

  /** Wait together with every call for the same response. */
  async function waitFor(setup: CheckedSetup, client: string | undefined): Promise<SetupRelayResponse> {
    const { transaction, ticket, ticketId, requiredBlocks } = setup;
    const intent = transaction.hash;
    const key = `${intent} ${ticketId} ${requiredBlocks}`;
    const pending = notConfirmed(intent);
    const start = () => reserveAndResolve(setup);
    const { result } = await wait({ key, intent, wallet: ticket.walletAddress, client, pending }, start);
    return result;
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
        if (!(await isGone(submission))) return submission.response;
        await (isOnFork(submission) ? store.deleteLost(txHash) : store.reopen(txHash));
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
    const { chain, transaction } = setup;
    try {
      const refusal = await broadcast(setup, submission, lease);
      const confirmed = await awaitReceipt(chain, transaction.hash, setup.requiredBlocks, waiting, {
        forks: chain.relayMode === 'managed-fork' ? forks : undefined,
        events,
        onPoll: () => store.renew(transaction.hash, lease),
        longestWaitMs: (leaseSeconds * 1000) / 3,
        refusal,
      });
      const response = await buildResponse(setup, confirmed);
      await store.complete(transaction.hash, response);
      return response;
    } catch (error) {
      // After a failure, the lease expires by itself.
      await store.release(transaction.hash, lease.owner).catch(() => undefined);
      throw error;
    }
  }

  /** @returns the node's refusal of a repeated broadcast; another node may still have the transaction */
  async function broadcast(
    { chain, transaction, ticket, allowance }: CheckedSetup,
    submission: SetupSubmission,
    lease: SetupLease,
  ): Promise<string | undefined> {
    // A fork keeps each transaction, so an unknown one never reached it.
    if (submission.state === 'submitted' && !isOnFork(submission))
      return rebroadcastTransaction(chain, transaction, ticket);
    try {
      await broadcastTransaction(chain, transaction, ticket, allowance, store);
      return undefined;
    } catch (error) {
      if (refusals.some((refusal) => error instanceof refusal))
        await store.deleteReservation(transaction.hash, lease.owner);
      throw error;
    }
  }

  return {
    relay: (request, client) => calls.run(() => relay(request, client)),
    drain: () => calls.drain(),
  };
}
