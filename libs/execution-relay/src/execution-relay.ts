import { createInFlightCalls, createSharedWaits, waitOrGiveUp, type WaitLimits } from '@yield-vault/chains';
import {
  TransactionValidationError,
  type ExecuteRequest,
  type ExecuteResponse,
  type IntentListRequest,
  type IntentListResponse,
  type IntentStatus,
} from '@yield-vault/protocol';
import type { Hex } from 'viem';
import { checkEnvelope } from './envelope.js';
import { endedUnsent, invalid, notIncluded, tooManyOpen } from './errors.js';
import { listIntents, showIntent } from './intent-status.js';
import { recomputeRoot, recoverSigner, restoreIntent, toNewIntent } from './intent.js';
import {
  newLease,
  release,
  withLease,
  type FinalState,
  type HeadAndNonce,
  type IntentWork,
} from './lease.js';
import { isLostWithFork } from './chain/locate-operation.js';
import type {
  ChainEventsPort,
  ExecutionChains,
  IntentLease,
  IntentStore,
  SimulatorPort,
  UnresolvedIntent,
  VaultsPort,
} from './ports.js';
import { resolveFromChain, resolveIntent } from './resolve-intent.js';
import { finalResponse } from './response.js';
import { readHeadAndNonce } from './submission.js';
import { sweepIntents } from './sweep-intents.js';
import type { VerifiedIntent } from './types.js';

export interface ExecutionRelayOptions {
  /** How long a call waits for the operation to be included. */
  readonly waitSeconds: number;
  /** How long an intent is valid after prepare. An envelope that expires later is refused. */
  readonly lifetimeSeconds: number;
  /** Calls that wait at a time; by default those of `waitLimitsSchema`. */
  readonly maxWaiting?: WaitLimits;
  /** How long a lease lasts without renewal (20). */
  readonly leaseSeconds?: number;
  /** First pause between two polls in milliseconds (100); later ones grow to a second. */
  readonly pollMs?: number;
}

export interface ExecutionRelayDependencies {
  readonly chains: ExecutionChains;
  readonly store: IntentStore;
  readonly vaults: VaultsPort;
  /** Without one, intents are submitted unsimulated. */
  readonly simulate?: SimulatorPort;
  /** Without it, each waiting call polls the chain. */
  readonly events?: ChainEventsPort;
  readonly options: ExecutionRelayOptions;
  /** Unix milliseconds. */
  readonly now?: () => number;
  /** Called after this process stored a final state. */
  readonly onResolved?: (state: FinalState) => void;
}

export interface ExecutionRelay {
  /**
   * Check a signed intent, submit it once, wait for it and return what it did. The same intent again, concurrently or
   * later, returns `already_executed` with the same hashes, unless its managed fork was recreated. Once it may have been
   * sent, it is never sent again, and only the chain decides.
   *
   * @param client - counts towards the limit of calls that wait for one client
   * @throws {TransactionValidationError} when the intent breaks a rule; `details.reason` names it
   * @throws {PreflightSimulationError} when it would fail, with `details.revertReason`; nothing was submitted
   * @throws {DepositsPausedError | DepositCapReachedError} when the operator stops the deposit
   * @throws {TransactionSubmissionError} when the bundler refuses it, or it reverted on chain (final)
   * @throws {TransactionPendingError} when it may have been sent and the chain has not decided, another call with it ended
   *   unsent, too many calls wait, or the wallet has too many open intents; repeat the call to wait on
   * @throws {UpstreamUnavailableError} when a dependency does not respond before anything is sent, or the service shuts
   *   down
   * @throws {DataStaleError} for an unknown vault, before the vaults of every chain are ranked
   * @throws {ForkCapacityError} when too many simulations wait; retryable
   * @throws {ForkNotRunningError} when nothing can be simulated; retryable
   */
  execute(request: ExecuteRequest, client?: string): Promise<ExecuteResponse>;
  /**
   * Show an intent of the ledger. Reads the chain for one that is submitted and that no call waits for.
   *
   * @throws {NotFoundError} when the ledger does not know it, or its managed fork was recreated
   */
  intent(intentId: Hex): Promise<IntentStatus>;
  /** List the submitted intents of a wallet, newest first. */
  intents(request: IntentListRequest): Promise<IntentListResponse>;
  /**
   * Resolve the open intents of a chain that no call works on, as far as the chain decides. Sends nothing.
   *
   * @param signal - ends the run between two intents
   * @throws {AggregateError} at the end, with every refusal of a node and every unexpected error
   */
  resume(chainId: number, signal?: AbortSignal): Promise<void>;
  /** Take no new calls and end those that only wait. The next call takes their submitted intents over. */
  drain(): Promise<void>;
}

// The clock of prepare may be ahead.
const clockSeconds = 60;
// Before the submission of an operation, and after its expiry.
const searchBlocks = 2_000n;

/** What became of an intent, for every call that waited for its operation. */
type Outcome = { readonly intentId: Hex } & (
  { readonly response: ExecuteResponse } | { readonly error: unknown }
);

const unfollowed: ChainEventsPort = {
  newestBlock: () => Promise.resolve(undefined),
  depthOf: () => Promise.resolve(undefined),
  waitForOperation: () => Promise.resolve({ kind: 'silent' }),
};

/** Make the execution relay of a deployment. */
export function createExecutionRelay(dependencies: ExecutionRelayDependencies): ExecutionRelay {
  const { chains, store, vaults, simulate, events = unfollowed, options, onResolved } = dependencies;
  const { now = Date.now } = dependencies;
  const { leaseSeconds = 20, pollMs = 100 } = options;
  const calls = createInFlightCalls('execution-relay');
  const wait = createSharedWaits<Outcome>(options.maxWaiting);
  const latestExpiry = (preparedAt: number) => preparedAt + options.lifetimeSeconds + clockSeconds;
  const workOn = (intent: VerifiedIntent, lease: IntentLease, headAndNonce?: HeadAndNonce): IntentWork => {
    const parts = { store, vaults, simulate, events, now, searchBlocks, latestExpiry, onResolved };
    return { ...parts, intent, lease, headAndNonce };
  };

  async function execute(request: ExecuteRequest, client?: string): Promise<ExecuteResponse> {
    const { expiry, merkleRoot } = request.intentEnvelope;
    const latest = latestExpiry(Math.floor(now() / 1000));
    // A known intent may date from a deployment with a longer lifetime.
    if (expiry > latest && !(await store.find(merkleRoot.toLowerCase() as Hex)))
      throw invalid('INVALID_EXPIRY', `expiry is ${expiry}. At present it can be ${latest} at most.`);
    return waitFor(await recoverSigner(recomputeRoot(checkEnvelope(request, chains))), client);
  }

  /** Wait together with every call for the same operation. */
  async function waitFor(intent: VerifiedIntent, client: string | undefined): Promise<ExecuteResponse> {
    const { intentId, userOpHash, operation } = intent;
    const { isFirst, result } = await wait(
      { key: userOpHash, intent: userOpHash, wallet: operation.sender, client, pending: notIncluded(intent) },
      () =>
        reserveAndResolve(intent).then(
          (response) => ({ intentId, response }),
          (error: unknown) => ({ intentId, error }),
        ),
    );
    const isOwn = result.intentId === intentId;
    if ('error' in result) throw isOwn ? result.error : endedUnsent(intent);
    if (isFirst) return result.response;
    if (isOwn) return { ...result.response, result: 'already_executed' };
    // Another intent of the operation succeeded. The next reservation links this one to it and returns its result.
    return waitFor(intent, client);
  }

  /**
   * Reserve an intent until there is a result. Each time, its row is one of these:
   * - final: its result counts, unless its managed fork was recreated; then the row is deleted and the intent is new
   * - owned: this call resolves it
   * - owned, but newer than the row that this call waited for: that row's caller may have been told to prepare again, so
   *   nothing is sent
   * - of another intent of the operation: this call resolves that one, and the next reservation links this one to it
   * - owned by another call: this call waits
   */
  async function reserveAndResolve(intent: VerifiedIntent): Promise<ExecuteResponse> {
    const { intentId } = intent;
    const deadlineMs = now() + options.waitSeconds * 1000;
    const waiting = { deadlineMs, pollMs, now, signal: calls.signal };
    const lease = newLease(leaseSeconds);
    let awaitedCreatedAt: number | undefined;
    for (let polls = 0; ; polls++) {
      // While reserving. Only a first submission uses them.
      const headAndNonce = polls === 0 ? readHeadAndNonce(intent, events) : undefined;
      headAndNonce?.catch(() => undefined);
      const { outcome, record } = await store.reserve(toNewIntent(intent), lease);
      if (outcome === 'full') throw tooManyOpen(intent, record.intentId);
      const isOwned = outcome === 'owned';
      if (record.userOpHash !== intent.userOpHash) {
        if (isOwned) await store.release(intentId, lease.owner);
        // A tree may have several leaves, but one root is one intent.
        throw invalid('UNSUPPORTED_ENVELOPE', 'Another operation was executed under this merkle root.');
      }
      // After the hash check, because another operation of the root may be on another chain.
      if (!isOwned && (await isLostWithFork(intent, record, searchBlocks))) {
        await store.deleteLost(record);
        awaitedCreatedAt = undefined;
        continue;
      }
      const response = finalResponse(record, { isFresh: polls > 0 });
      if (response) return response;
      const createdAt = record.createdAt.getTime();
      if (isOwned && createdAt !== (awaitedCreatedAt ?? createdAt)) {
        await store.deleteReservation(intentId, lease.owner);
        throw endedUnsent(intent);
      }
      if (isOwned) {
        const isOther = record.intentId !== intentId;
        const owned = { ...intent, intentId: record.intentId, expiry: record.expiry };
        const work = workOn(owned, lease, headAndNonce);
        const resolve = () => resolveIntent(work, record, waiting);
        const resolved = await withLease(store, record.intentId, lease, resolve).catch((error: unknown) => {
          const isExpired = error instanceof TransactionValidationError;
          throw isOther && isExpired ? endedUnsent(intent) : error;
        });
        if (resolved && !isOther) return resolved;
      }
      awaitedCreatedAt = createdAt;
      await waitOrGiveUp(notIncluded(intent), waiting, polls);
    }
  }

  async function resumeOne({ intentId, seenIn }: UnresolvedIntent): Promise<void> {
    const lease = newLease(leaseSeconds);
    // The lease moves an intent that cannot be resolved to the end of the line.
    const record = await store.takeOver(intentId, lease);
    if (!record) return;
    await withLease(store, intentId, lease, async () => {
      const intent = restoreIntent(record, chains);
      if (intent) await resolveFromChain(workOn(intent, lease), record, seenIn);
    });
    await release(store, intentId, lease);
  }

  return {
    execute: (request, client) => calls.run(() => execute(request, client)),
    intent: (intentId) =>
      calls.run(() => showIntent({ ...dependencies, searchBlocks, resume: resumeOne }, intentId)),
    intents: (request) => listIntents(dependencies, request),
    resume: (chainId, signal) =>
      calls.run(() => {
        const confirmations = chains.findById(chainId)?.confirmations ?? 0;
        return sweepIntents(store, { chainId, confirmations }, resumeOne, [calls.signal, signal]);
      }),
    drain: () => calls.drain(),
  };
}
