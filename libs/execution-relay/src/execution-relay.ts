import { createCalls, settings, waitOrGiveUp } from '@yield-vault/chains';
import {
  ServiceError,
  type ExecuteRequest,
  type ExecuteResponse,
  type IntentListRequest,
  type IntentListResponse,
  type IntentStatus,
} from '@yield-vault/protocol';
import type { Hex } from 'viem';
import { z } from 'zod';
import { checkEnvelope } from './envelope.js';
import { endedUnsent, invalid } from './errors.js';
import { isReadRefusal } from './chain/inclusion.js';
import { listIntents, showIntent } from './intent-status.js';
import { recomputeRoot, recoverSigner, restoreIntent, toNewIntent } from './intent.js';
import { newLease, release, withLease, type IntentWork } from './lease.js';
import { isLostWithFork, readNextNonce } from './chain/locate-operation.js';
import { requireSubmittable } from './policy.js';
import type {
  ExecutionChains,
  IntentLease,
  IntentRecord,
  IntentStore,
  SimulatorPort,
  VaultsPort,
} from './ports.js';
import { notIncluded, resolveFromChain, resolveIntent } from './resolve-intent.js';
import { finalResponse } from './response.js';
import { readStart } from './submission.js';
import type { VerifiedIntent } from './types.js';

const { positiveInteger } = settings;

/** How long a call waits for its transaction. */
export const relaySchema = z.strictObject({
  executeWaitSeconds: positiveInteger.default(60),
  setupWaitSeconds: positiveInteger.default(120),
});

export interface ExecutionRelayOptions {
  /** How long a call waits for the operation to be included. */
  readonly waitSeconds: number;
  /** How long a lease lasts without renewal (20). */
  readonly leaseSeconds?: number;
  /** First pause between two polls of the chain in milliseconds (2); later ones grow to a second. */
  readonly pollMs?: number;
  /** The minimum number of blocks to search for an operation (2000). */
  readonly searchBlocks?: number;
}

export interface ExecutionRelayDependencies {
  readonly chains: ExecutionChains;
  readonly store: IntentStore;
  readonly vaults: VaultsPort;
  /** Without one, intents are submitted unsimulated. */
  readonly simulate?: SimulatorPort;
  readonly options: ExecutionRelayOptions;
  /** Unix milliseconds. */
  readonly now?: () => number;
}

export interface ExecutionRelay {
  /**
   * Check a signed intent, submit it once, wait for it and return what it did. The same intent again, concurrently or
   * later, returns `already_executed` with the same hashes, unless its managed fork was recreated. Once it may have been
   * sent, it is never sent again, and only the chain decides.
   *
   * @throws {TransactionValidationError} when the intent breaks a rule; `details.reason` names it
   * @throws {PreflightSimulationError} when it would fail, with `details.revertReason`; nothing was submitted
   * @throws {TransactionSubmissionError} when the bundler refuses it, or it reverted on chain (final)
   * @throws {TransactionPendingError} when it may have been sent and the chain has not decided, or another call with it ended
   *   unsent; repeat the call to wait on
   * @throws {UpstreamUnavailableError} when a dependency does not respond before anything is sent, or the service shuts
   *   down
   * @throws {ForkCapacityError} when too many simulations wait; retryable
   * @throws {ForkNotRunningError} when nothing can be simulated; retryable
   */
  execute(request: ExecuteRequest): Promise<ExecuteResponse>;
  /**
   * Show an intent of the ledger. Reads the chain for one that is submitted and that no call waits for.
   *
   * @throws {NotFoundError} when the ledger does not know it, or its managed fork was recreated
   */
  intent(intentId: Hex): Promise<IntentStatus>;
  /** List the submitted intents of a wallet, newest first. */
  intents(request: IntentListRequest): Promise<IntentListResponse>;
  /**
   * Resolve every open intent that no call works on, as far as the chain decides. Sends nothing.
   *
   * @throws {AggregateError} at the end, with every refusal of a node and every unexpected error
   */
  resume(): Promise<void>;
  /** Take no new calls and end those that only wait. The next call takes their submitted intents over. */
  drain(): Promise<void>;
}

const resumeBatch = 5_000;
const resumeConcurrency = 8;

/** Make the execution relay of a deployment. */
export function createExecutionRelay(dependencies: ExecutionRelayDependencies): ExecutionRelay {
  const { chains, store, vaults, simulate, options, now = Date.now } = dependencies;
  const { leaseSeconds = 20, pollMs = 2, searchBlocks: blocks = 2000 } = options;
  const searchBlocks = BigInt(blocks);
  const calls = createCalls('execution-relay');
  const workOn = (intent: VerifiedIntent, lease: IntentLease, start?: IntentWork['start']): IntentWork => {
    return { intent, lease, store, vaults, simulate, now, searchBlocks, start };
  };

  async function execute(request: ExecuteRequest): Promise<ExecuteResponse> {
    const envelope = checkEnvelope(request, chains);
    const intent = await recoverSigner(recomputeRoot(envelope));
    await requireSubmittableOrKnown(intent);
    return reserveAndResolve(intent);
  }

  /** Ignore a broken rule when the intent may already be on chain: nothing is submitted then. */
  async function requireSubmittableOrKnown(intent: VerifiedIntent): Promise<void> {
    try {
      requireSubmittable(intent, vaults, now());
    } catch (error) {
      if (await store.find(intent.intentId)) return;
      // A used nonce may mean that it was executed, and that the ledger lost its row.
      if ((await readNextNonce(intent.chain, intent.operation)) <= intent.operation.nonce) throw error;
    }
  }

  async function reserveAndResolve(intent: VerifiedIntent): Promise<ExecuteResponse> {
    const { intentId } = intent;
    const deadlineMs = now() + options.waitSeconds * 1000;
    const waiting = { deadlineMs, pollMs, now, signal: calls.signal };
    const lease = newLease(leaseSeconds);
    let waitedFor: IntentRecord | undefined;
    for (let polls = 0; ; polls++) {
      // Beside the reservation. Only a submission waits for it; later, it would be too old.
      const start = polls === 0 ? readStart(intent) : undefined;
      start?.catch(() => undefined);
      const { owned, record } = await store.reserve(toNewIntent(intent), lease);
      if (record.userOpHash !== intent.userOpHash) {
        if (owned) await store.release(intentId, lease.owner);
        // A tree may have several leaves, but one root is one intent.
        throw invalid('UNSUPPORTED_ENVELOPE', 'Another operation was executed under this merkle root.');
      }
      // After the hash check, because another operation of the root may be on another chain.
      if (!owned && (await isLostWithFork(intent, record, { since: record.submittedBlock, searchBlocks }))) {
        await store.deleteLost(record);
        waitedFor = undefined;
        continue;
      }
      const response = finalResponse(record, { isFresh: polls > 0 });
      if (response) return response;
      // The row that this call waited for was deleted. Its caller may have been told to prepare again, so do not send.
      if (owned && waitedFor && waitedFor.createdAt.getTime() !== record.createdAt.getTime()) {
        await store.deleteReservation(intentId, lease.owner);
        throw endedUnsent(intent);
      }
      if (owned) {
        const work = workOn(intent, lease, start);
        const resolved = await withLease(store, intentId, lease, () => resolveIntent(work, record, waiting));
        if (resolved) return resolved;
      }
      waitedFor = record;
      await waitOrGiveUp(notIncluded(intent), waiting, polls);
    }
  }

  async function resume(): Promise<void> {
    const unexpected: unknown[] = [];
    const left = [...(await store.unresolved(resumeBatch))];
    const work = async () => {
      for (let id = left.shift(); id && !calls.signal.aborted; id = left.shift())
        await resumeOne(id).catch((error: unknown) => {
          // A `ServiceError` is a result, or an outage that the next run retries. A node's refusal may be permanent.
          if (!(error instanceof ServiceError) || isReadRefusal(error)) unexpected.push(error);
        });
    };
    await Promise.all(Array.from({ length: resumeConcurrency }, work));
    if (unexpected.length > 0) throw new AggregateError(unexpected, 'Some intents could not be resolved.');
  }

  async function resumeOne(intentId: Hex): Promise<void> {
    const lease = newLease(leaseSeconds);
    // The lease moves an intent that cannot be resolved to the end of the line.
    const record = await store.takeOver(intentId, lease);
    if (!record) return;
    await withLease(store, intentId, lease, async () => {
      const intent = restoreIntent(record, chains);
      if (intent) await resolveFromChain(workOn(intent, lease), record);
    });
    await release(store, intentId, lease);
  }

  return {
    execute: (request) => calls.run(() => execute(request)),
    intent: (intentId) =>
      calls.run(() => showIntent({ ...dependencies, searchBlocks, resume: resumeOne }, intentId)),
    intents: (request) => listIntents(dependencies, request),
    resume: () => calls.run(resume),
    drain: () => calls.drain(),
  };
}
