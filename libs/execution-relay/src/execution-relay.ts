import { createCalls, waitOrGiveUp } from '@yield-vault/chains';
import { randomUUID } from 'node:crypto';
import type { Hex } from 'viem';
import { ServiceError, type ExecuteRequest, type ExecuteResponse } from '@yield-vault/protocol';
import { invalid } from './errors.js';
import type {
  ExecutionChains,
  IntentLease,
  IntentRecord,
  IntentStore,
  SimulatorPort,
  VaultsPort,
} from './ports.js';
import { answerSettled } from './steps/answer-settled.js';
import { isReadRefusal } from './steps/from-node.js';
import { isLostWithFork } from './steps/is-lost-with-fork.js';
import { notIncluded } from './steps/not-included.js';
import { requireSubmittable } from './steps/require-submittable.js';
import { restoreIntent } from './steps/restore-intent.js';
import { LeaseLostError, settleFromChain, settleIntent, type Settlement } from './steps/settle-intent.js';
import { toNewIntent, verifyIntent } from './steps/verify-intent.js';
import type { VerifiedIntent } from './types.js';

export interface ExecutionRelayOptions {
  /** How long a call waits for the operation to be included. */
  readonly waitSeconds: number;
  /** How long a process has an intent for itself without renewing it (20). */
  readonly leaseSeconds?: number;
  /** Time before the second look at bundler and chain in milliseconds (50); it grows to a second. */
  readonly pollMs?: number;
  /** How many blocks to look back for an operation, at least (2000). */
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
   * Check a signed intent, submit it once, wait for it and say what it did. The same intent again, at the same time
   * or later, answers `already_executed` with the same hashes, unless it was executed on a managed fork that is gone.
   *
   * @throws {TransactionValidationError} when the intent breaks a rule; `details.reason` names it
   * @throws {PreflightSimulationError} when it would fail; `details.revertReason` says why, nothing was submitted
   * @throws {TransactionSubmissionError} when the bundler refuses it, or it reverted on chain (final)
   * @throws {TransactionPendingError} when it is not included in time; the same call goes on waiting
   * @throws {UpstreamUnavailableError} when a dependency does not answer, a node still refuses to when the wait is over,
   *   or the service shuts down
   * @throws {ForkCapacityError} when too many simulations wait; retryable
   * @throws {ForkNotRunningError} when nothing can be simulated; retryable
   */
  execute(request: ExecuteRequest): Promise<ExecuteResponse>;
  /**
   * Settle from the chain what a killed process left. Sends nothing.
   *
   * @throws {AggregateError} at the end, with what a node refused to say and with whatever else was not expected
   */
  resume(): Promise<void>;
  /** Take no new calls and end those that only wait; what they submitted is taken up by the next call. */
  drain(): Promise<void>;
}

const resumeBatch = 100;

/** Make the execution relay of a deployment. */
export function createExecutionRelay(dependencies: ExecutionRelayDependencies): ExecutionRelay {
  const { chains, store, vaults, simulate, options, now = Date.now } = dependencies;
  const { leaseSeconds = 20, pollMs = 50, searchBlocks = 2000 } = options;
  const calls = createCalls('execution-relay');

  async function execute(request: ExecuteRequest): Promise<ExecuteResponse> {
    const intent = await verifyIntent(request, chains);
    await requireSubmittableOrKnown(intent);

    const deadlineMs = now() + options.waitSeconds * 1000;
    const waiting = { deadlineMs, pollMs, now, signal: calls.signal };
    const lease = newLease();
    const work = startWork(intent, lease);
    const { searchBlocks } = work;
    for (let looks = 0; ; looks++) {
      const { owned, record } = await store.claim(toNewIntent(intent), lease);
      if (record.userOpHash !== intent.userOpHash) {
        if (owned) await store.release(intent.intentId, lease.owner);
        // A tree may have several leaves, but one root is one intent.
        throw invalid('UNSUPPORTED_ENVELOPE', 'Another operation was executed under this merkle root.');
      }
      // Only of this very operation: another leaf of the root may be one of another chain.
      if (!owned && (await isLostWithFork(intent, record, { since: record.submittedBlock, searchBlocks }))) {
        await store.discard(record);
        continue;
      }
      const settled = answerSettled(record);
      if (settled) return settled;
      if (owned) {
        const response = await holding(intent.intentId, lease, () => settleIntent(work, record, waiting));
        if (response) return response;
      }
      await waitOrGiveUp(notIncluded(intent), waiting, looks);
    }
  }

  /** What keeps an intent from being submitted matters only to the call that submits it: reserve nothing in vain. */
  async function requireSubmittableOrKnown(intent: VerifiedIntent): Promise<void> {
    try {
      requireSubmittable(intent, vaults, now());
    } catch (error) {
      if (!(await store.find(intent.intentId))) throw error;
    }
  }

  async function resume(): Promise<void> {
    const unexpected: unknown[] = [];
    for (const left of await store.unsettled(resumeBatch)) {
      if (calls.signal.aborted) return;
      await settleLeft(left).catch((error: unknown) => {
        // What the interface has a word for is an outcome, or an outage that the next sweep outlives. What a node
        // refuses may be refused for good.
        if (!(error instanceof ServiceError) || isReadRefusal(error)) unexpected.push(error);
      });
    }
    if (unexpected.length > 0) throw new AggregateError(unexpected, 'Intents could not be settled.');
  }

  async function settleLeft(left: IntentRecord): Promise<void> {
    const lease = newLease();
    // Claimed and given up whatever it is: what cannot be settled is then the last in line, not the first.
    const { owned, record } = await store.claim(left, lease);
    if (!owned) return;
    await holding(left.intentId, lease, async () => {
      const intent = restoreIntent(record, chains);
      if (intent) await settleFromChain(startWork(intent, lease), record);
    });
    await giveUp(left.intentId, lease);
  }

  function newLease(): IntentLease {
    return { owner: randomUUID(), seconds: leaseSeconds };
  }

  function startWork(intent: VerifiedIntent, lease: IntentLease): Settlement {
    return { intent, lease, store, vaults, simulate, now, searchBlocks: BigInt(searchBlocks) };
  }

  /** Run work under its lease, which is given up when it fails; `undefined` when the lease was lost on the way. */
  async function holding<T>(
    intentId: Hex,
    lease: IntentLease,
    run: () => Promise<T>,
  ): Promise<T | undefined> {
    try {
      return await keepingLease(intentId, lease, run);
    } catch (error) {
      if (error instanceof LeaseLostError) return undefined;
      await giveUp(intentId, lease);
      throw error;
    }
  }

  /** To wait for a simulation, or to search many blocks, may take longer than a lease lasts. */
  async function keepingLease<T>(intentId: Hex, lease: IntentLease, run: () => Promise<T>): Promise<T> {
    let renewal: Promise<unknown> = Promise.resolve();
    // Whether it was kept shows in the next step, which is taken only by the owner.
    const renew = () => (renewal = store.renew(intentId, lease).catch(() => undefined));
    const timer = setInterval(() => void renew(), (lease.seconds * 1000) / 3);
    try {
      return await run();
    } finally {
      clearInterval(timer);
      // One that is on its way would undo that the lease is given up.
      await renewal;
    }
  }

  /** Should this fail, the lease runs out by itself. */
  async function giveUp(intentId: Hex, lease: IntentLease): Promise<void> {
    await store.release(intentId, lease.owner).catch(() => undefined);
  }

  return {
    execute: (request) => calls.run(() => execute(request)),
    resume: () => calls.run(resume),
    drain: () => calls.drain(),
  };
}
