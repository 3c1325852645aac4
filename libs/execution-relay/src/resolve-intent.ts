import { waitOrGiveUp, type Pending, type Waiting } from '@yield-vault/chains';
import { aaCodes, TransactionSubmissionError, type ExecuteResponse } from '@yield-vault/protocol';
import type { Hex } from 'viem';
import { invalid } from './errors.js';
import { fromNode } from './inclusion.js';
import { LeaseLostError } from './lease.js';
import { findInclusion } from './locate-operation.js';
import { requireSubmittable } from './policy.js';
import type {
  IntentFailure,
  IntentLease,
  IntentRecord,
  IntentStore,
  IntentTransition,
  SimulatorPort,
  VaultMove,
  VaultsPort,
} from './ports.js';
import { passesPreflight } from './preflight.js';
import { buildResponse } from './response.js';
import { isKnownToBundler, requireBundler, submitOperation } from './submission.js';
import type { Inclusion, Location, Search, VerifiedIntent } from './types.js';

/** An intent under its lease, and everything that resolves it. */
export interface IntentWork {
  readonly intent: VerifiedIntent;
  readonly lease: IntentLease;
  readonly store: IntentStore;
  readonly vaults: VaultsPort;
  readonly simulate: SimulatorPort | undefined;
  readonly searchBlocks: bigint;
  readonly now: () => number;
}

/**
 * Resolve an intent under its lease: preflight, bundler, wait, receipt, position update. Each state is stored before its
 * side effect.
 *
 * @param record - the state so far
 * @throws {PreflightSimulationError} when it would fail; deletes the reservation of an intent that was never submitted
 * @throws {TransactionSubmissionError} when the bundler refuses it (deletes the reservation), or it failed for good
 * @throws {TransactionValidationError} when it may not be submitted, or has expired
 * @throws {TransactionPendingError} when the wait is over
 * @throws {UpstreamUnavailableError} when a dependency does not respond, or the node still refuses after the wait
 * @throws {LeaseLostError} when another process took it over
 */
export async function resolveIntent(
  work: IntentWork,
  record: IntentRecord,
  waiting: Waiting,
): Promise<ExecuteResponse> {
  const { since, moves } = isUnsubmitted(record) ? await submit(work) : await resubmitIfLost(work, record);
  const { inclusion } = await awaitInclusion(work, since, waiting);
  return conclude(work, inclusion, moves);
}

/**
 * Resolve an intent as far as the chain decides, and send nothing. The reservation of an intent that was never
 * submitted is deleted. An intent that can still be included stays submitted.
 *
 * @throws {UpstreamUnavailableError} when the node does not respond, or refuses
 */
export async function resolveFromChain(work: IntentWork, record: IntentRecord): Promise<void> {
  const { intent, lease, store } = work;
  if (isUnsubmitted(record)) return store.deleteReservation(intent.intentId, lease.owner);
  const location = await findInclusion(intent, requireBundler(intent), searchOf(work, record));
  if (location.kind === 'unclear' && location.refusal) throw location.refusal;
  const decided = decide(location);
  if (decided) await conclude(work, decided.inclusion, movesOf(record));
  else if (isExpired(intent, location)) await advance(work, { state: 'expired' });
}

/** Tell what a call that outlives its wait was waiting for. */
export function notIncluded({ userOpHash }: VerifiedIntent): Pending {
  return { detail: 'The operation is not included yet.', details: { userOpHash } };
}

/** A submitted operation, or one that is not sent because its nonce is used. */
interface Submission {
  /** No earlier block can include it. `undefined`: nothing was sent, because the nonce is used. */
  readonly since: bigint | undefined;
  readonly moves: readonly VaultMove[];
}

async function submit(work: IntentWork): Promise<Submission> {
  const { intent, lease, store, searchBlocks } = work;
  const deleteReservation = async (error: unknown): Promise<never> => {
    // If the deletion fails, the lease expires and the next process deletes the row.
    await store.deleteReservation(intent.intentId, lease.owner).catch(() => undefined);
    throw error;
  };
  const bundler = requireBundler(intent);
  const submission = await prepareSubmission(work).catch(deleteReservation);
  const { since, moves } = submission;
  if (since === undefined) return submission;
  await advance(work, { state: 'submitted', submittedBlock: since, moves });
  await submitOperation(intent, bundler, { since, searchBlocks }).catch((error: unknown) => {
    if (error instanceof TransactionSubmissionError) return deleteReservation(error);
    throw error;
  });
  return submission;
}

/** Check everything that precedes a submission; `since` is `undefined` when there is nothing to send. */
async function prepareSubmission(work: IntentWork) {
  const { intent, simulate, searchBlocks } = work;
  const moves = requireSubmittable(intent, work.vaults, work.now());
  const search = { since: undefined, searchBlocks };
  if (!(await passesPreflight(intent, simulate, requireBundler(intent), search)))
    return { since: undefined, moves };
  if (simulate) await advance(work, { state: 'simulated' });
  return { since: await fromNode(intent.chain, intent.chain.rpc.getBlockNumber({ cacheTime: 0 })), moves };
}

/** Send again only when no block and no bundler has the operation, while its nonce is unused. */
async function resubmitIfLost(work: IntentWork, record: IntentRecord): Promise<Submission> {
  const { intent, simulate } = work;
  const bundler = requireBundler(intent);
  const search = searchOf(work, record);
  const submission = { since: search.since, moves: movesOf(record) };
  const location = await findInclusion(intent, bundler, search);
  if (location.kind !== 'open' || (await isKnownToBundler(intent, bundler))) return submission;
  if (isExpired(intent, location)) {
    await advance(work, { state: 'expired' });
    throw invalid('INTENT_EXPIRED', `The intent expired at ${intent.expiry}.`);
  }
  requireSubmittable(intent, work.vaults, work.now());
  // The chain may have changed since the bundler lost it.
  if (!(await passesPreflight(intent, simulate, bundler, search))) return submission;
  await advance(work, { state: 'submitted' });
  // A refusal now does not undo the first submission: a block that we do not see yet may hold it.
  await submitOperation(intent, bundler, search);
  return submission;
}

async function awaitInclusion(
  work: IntentWork,
  since: bigint | undefined,
  waiting: Waiting,
): Promise<Decision> {
  const { intent, lease, store, searchBlocks } = work;
  for (let polls = 0; ; polls++) {
    const location = await findInclusion(intent, requireBundler(intent), { since, searchBlocks });
    const decided = decide(location);
    if (decided) return decided;
    await waitOrGiveUp(notIncluded(intent), waiting, polls).catch((error: unknown) => {
      throw (location.kind === 'unclear' ? location.refusal : undefined) ?? error;
    });
    if (!(await store.renew(intent.intentId, lease))) throw new LeaseLostError();
  }
}

/** The chain decided: an inclusion, or none because another operation used the nonce. */
interface Decision {
  readonly inclusion: Inclusion | undefined;
}

function decide(location: Location): Decision | undefined {
  if (location.kind === 'included') return { inclusion: location.inclusion };
  return location.kind === 'nonce-used' ? { inclusion: undefined } : undefined;
}

async function conclude(
  work: IntentWork,
  inclusion: Inclusion | undefined,
  moves: readonly VaultMove[],
): Promise<ExecuteResponse> {
  const { intent } = work;
  if (!inclusion) return fail(work, nonceUsed(intent));
  const { txHash } = inclusion;
  if (!inclusion.success) return fail(work, reverted(intent, inclusion), txHash);
  await advance(work, { state: 'included', txHash, moves });
  const response = buildResponse(intent, moves, inclusion);
  await advance(work, { state: 'confirmed', response });
  return response;
}

async function fail(work: IntentWork, failure: IntentFailure, txHash?: Hex): Promise<never> {
  await advance(work, { state: 'failed', failure, ...(txHash && { txHash }) });
  throw new TransactionSubmissionError({ ...failure, retryable: false });
}

async function advance({ store, intent, lease }: IntentWork, transition: IntentTransition): Promise<void> {
  if (!(await store.advance(intent.intentId, lease.owner, transition))) throw new LeaseLostError();
}

function nonceUsed({ userOpHash }: VerifiedIntent): IntentFailure {
  return {
    detail: 'Another operation of this wallet used the nonce.',
    details: { aaCode: 'AA25', userOpHash },
    nextAction: aaCodes.AA25.nextAction,
  };
}

function reverted({ userOpHash }: VerifiedIntent, { txHash, failure }: Inclusion): IntentFailure {
  const { revertReason = 'NO_REASON', aaCode } = failure ?? {};
  return {
    detail: `The operation was included and reverted: ${revertReason}.`,
    details: { txHash, userOpHash, revertReason, ...(aaCode && { aaCode }) },
    nextAction: aaCode ? aaCodes[aaCode].nextAction : 'Check balance and limits, then call prepare again.',
  };
}

const isUnsubmitted = ({ state }: IntentRecord) => state === 'reserved' || state === 'simulated';

/** Whether no block includes it and no later one can. */
function isExpired({ expiry }: VerifiedIntent, location: Location): boolean {
  return location.kind === 'open' && location.timestamp > BigInt(expiry);
}

/** Stored with the state `submitted`, because a vault may leave the catalogue. */
const movesOf = ({ moves }: IntentRecord) => moves!;

function searchOf({ searchBlocks }: IntentWork, { submittedBlock }: IntentRecord): Search {
  return { since: submittedBlock, searchBlocks };
}
