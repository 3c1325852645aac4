import { createCalls, waitOrGiveUp, type Waiting } from '@yield-vault/chains';
import { randomUUID } from 'node:crypto';
import {
  ForksNotConfiguredError,
  SetupTicketRejectedError,
  SetupTransactionRejectedError,
  setupChecks,
  setupTicketId,
  type SetupRelayRequest,
  type SetupRelayResponse,
  type SetupTicket,
} from '@yield-vault/protocol';
import { isHex, keccak256, type Hex } from 'viem';
import type { ForksPort, SetupChain, SetupChains, SetupLease, SetupStore, SetupSubmission } from './ports.js';
import { awaitReceipt, notConfirmed } from './steps/await-receipt.js';
import { broadcastTransaction } from './steps/broadcast-transaction.js';
import { checkAuthorizationList } from './steps/check-authorization-list.js';
import { checkCalldataHash } from './steps/check-calldata-hash.js';
import { checkChainId } from './steps/check-chain-id.js';
import { checkImplementation } from './steps/check-implementation.js';
import { checkSelfCall } from './steps/check-self-call.js';
import { checkSigner } from './steps/check-signer.js';
import { checkTicketNotExpired } from './steps/check-ticket-not-expired.js';
import { isLostWithFork } from './steps/is-lost-with-fork.js';
import { mayBeMined } from './steps/may-be-mined.js';
import { parseSetupTransaction } from './steps/parse-setup-transaction.js';
import { requireActiveChain } from './steps/require-active-chain.js';
import { requireSuccess } from './steps/require-success.js';
import { verifyWallet } from './steps/verify-wallet.js';
import type { SetupTransaction } from './types.js';

export interface SetupRelayOptions {
  /** Longest life of a ticket. */
  readonly ticketLifetimeSeconds: number;
  /** How long a call waits for the confirmations. */
  readonly waitSeconds: number;
  /** What a paymaster that takes USDC may take from the wallet, in base units; part of the setup call data. */
  readonly paymasterAllowanceUsdc: bigint;
  /** How long a process has a transaction for itself without renewing it (15). */
  readonly leaseSeconds?: number;
  /** Time before the second look at the chain in milliseconds (50); it grows to a second. */
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
   * The same transaction again gives the first answer, and never a second broadcast, unless it was confirmed on a
   * managed fork that is gone.
   *
   * @throws {SetupTicketRejectedError} when a check of the ticket fails; `details.failedCheck` names it
   * @throws {SetupTransactionRejectedError} when a check of the transaction fails; `details.failedCheck` names it
   * @throws {SetupTransactionRevertedError} when it was mined and reverted
   * @throws {TransactionPendingError} when it is not confirmed in time; the same call goes on waiting
   * @throws {UpstreamUnavailableError} when a dependency does not answer, or the service shuts down
   * @throws {ForkNotRunningError} when the managed fork of the chain does not answer; it is recreated
   * @throws {ForksNotConfiguredError} when the chain is a managed fork and the deployment has none
   */
  relay(request: SetupRelayRequest): Promise<SetupRelayResponse>;
  /** Take no new calls and end those that only wait; what they broadcast is taken up by the next call. */
  drain(): Promise<void>;
}

interface CheckedSetup {
  readonly chain: SetupChain;
  readonly transaction: SetupTransaction;
  readonly ticket: SetupTicket;
  readonly ticketId: Hex;
  readonly confirmations: number;
}

// No node lags so far behind, and each keeps the states of so many blocks.
const freshBlocks = 32n;

/** Make the setup relay of a deployment. */
export function createSetupRelay(dependencies: SetupRelayDependencies): SetupRelay {
  const { chains, store, forks, options, now = Date.now } = dependencies;
  const { leaseSeconds = 15, pollMs = 50 } = options;
  const calls = createCalls('setup-relay');

  const isLost = (submission: SetupSubmission) =>
    isLostWithFork(chains.findById(submission.chainId), submission);

  async function relay(request: SetupRelayRequest): Promise<SetupRelayResponse> {
    const ticketId = idOf(request.setupTicket);
    const known = isHex(request.signedRawTx) ? await store.find(keccak256(request.signedRawTx)) : undefined;
    const sameCall = known !== undefined && known.ticketId === ticketId;
    if (sameCall && known.response && !(await isLost(known))) return known.response;

    const setup = await check(request, sameCall && known.state === 'submitted');
    return submitOnce(setup);
  }

  async function check(request: SetupRelayRequest, relayed: boolean): Promise<CheckedSetup> {
    const { setupTicket: ticket, signedRawTx, confirmations } = request;
    const lifetimeSeconds = options.ticketLifetimeSeconds;
    checkTicketNotExpired(ticket, { nowMs: now(), lifetimeSeconds, relayed });
    const chain = requireActiveChain(ticket, chains);
    requireForks(chain);
    checkImplementation(ticket, chain);
    const transaction = parseSetupTransaction(signedRawTx, ticket.setupType);
    checkChainId(transaction, chain.chainId);
    checkSelfCall(transaction, ticket);
    checkCalldataHash(transaction, ticket, chain, options.paymasterAllowanceUsdc);
    if (transaction.type === 'eip7702') await checkAuthorizationList(transaction, ticket, chain);
    await checkSigner(transaction, ticket);
    return { chain, transaction, ticket, ticketId: setupTicketId(ticket), confirmations };
  }

  function requireForks({ key, relayMode }: SetupChain): void {
    if (relayMode === 'chain' || forks) return;
    throw new ForksNotConfiguredError({ detail: `The deployment has no fork of ${key} to relay to.` });
  }

  async function submitOnce(setup: CheckedSetup): Promise<SetupRelayResponse> {
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
    for (let looks = 0; ; looks++) {
      const { owned, submission } = await store.claim(key, lease);
      if (submission.response) {
        if (!(await isLost(submission))) return submission.response;
        await store.discard(txHash);
        continue;
      }
      if (owned) return settle(setup, submission, lease, waiting);
      await waitOrGiveUp(notConfirmed(txHash), waiting, looks);
    }
  }

  async function settle(
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
      // Should this fail too, the lease runs out by itself.
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
      // No fork loses what it was given: one that does not know the transaction never got it.
      const wasSubmitted = submission.state === 'submitted' && chain.relayMode === 'chain';
      if (!wasSubmitted) await store.forget(transaction.hash, lease.owner);
      else if (await mayBeMined(chain, transaction, ticket, error)) return;
      throw error;
    }
  }

  return {
    relay: (request) => calls.run(() => relay(request)),
    drain: () => calls.drain(),
  };
}

function idOf(ticket: SetupTicket): Hex | undefined {
  try {
    return setupTicketId(ticket);
  } catch {
    // A malformed ticket has no id; the checks say what is wrong with it.
    return undefined;
  }
}

/** Whether an error says that no chain took the transaction, now or earlier. */
function isRefusal(error: unknown): error is SetupTicketRejectedError | SetupTransactionRejectedError {
  return error instanceof SetupTicketRejectedError || error instanceof SetupTransactionRejectedError;
}
