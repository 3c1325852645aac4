import { isFinalBlock, readFromNode, waitOrGiveUp, type Pending, type Waiting } from '@yield-vault/chains';
import { quoteReason } from '@yield-vault/contracts';
import {
  aaCodes,
  errorCatalogue,
  TransactionPendingError,
  TransactionSubmissionError,
  UpstreamUnavailableError,
  type ExecuteResponse,
  type Sighting,
} from '@yield-vault/protocol';
import type { Hex } from 'viem';
import { expired, notIncluded, unclear } from './errors.js';
import { advance, type IntentWork } from './lease.js';
import { findInclusion, sendingOf } from './chain/locate-operation.js';
import type { IntentFailure, IntentRecord } from './ports.js';
import { buildResponse } from './response.js';
import { isExpired, nonceUsed, searchOf, submit } from './submission.js';
import type { Inclusion, Submission, VerifiedIntent } from './types.js';

/**
 * Resolve an intent under its lease: preflight, bundler, wait, receipt, position update. Each state is stored before its
 * side effect. After a possible send it never sends or simulates again: only the chain decides.
 *
 * @param record - the state so far
 * @throws {PreflightSimulationError} when it would fail; deletes the reservation
 * @throws {TransactionSubmissionError} when the bundler refuses it (deletes the reservation), or it failed for good
 * @throws {TransactionValidationError} when it may not be submitted (deletes the reservation), or has expired
 * @throws {TransactionPendingError} once it may have been sent, while the chain has not decided after the wait
 * @throws {UpstreamUnavailableError} when a dependency does not respond before anything is sent; deletes the reservation
 * @throws {LeaseLostError} when another process took it over
 */
export async function resolveIntent(
  work: IntentWork,
  record: IntentRecord,
  waiting: Waiting,
): Promise<ExecuteResponse> {
  const isNew = isUnsubmitted(record);
  const submission = isNew ? await submit(work) : submissionOf(record);
  // Do not ask the bundler about an intent that it has just received.
  const pending = pendingOf(work.intent, isNew);
  try {
    return await awaitResult(work, submission, { ...waiting, isNew }, pending);
  } catch (error) {
    if (!(error instanceof UpstreamUnavailableError)) throw error;
    throw new TransactionPendingError({ ...pending(error), retryAfterSeconds: error.retryAfterSeconds ?? 1 });
  }
}

/**
 * Resolve an intent as far as the chain decides, and send nothing. The reservation of an intent that was never
 * submitted is deleted. An intent that can still be included stays submitted.
 *
 * @param seenIn - a transaction that may have it
 * @throws {ServiceError} of a final result, or when the node does not respond
 */
export async function resolveFromChain(
  work: IntentWork,
  record: IntentRecord,
  seenIn: Hex | undefined,
): Promise<void> {
  const { intent, lease, store } = work;
  if (isUnsubmitted(record)) {
    await store.deleteReservation(intent.intentId, lease.owner);
    return;
  }
  const { failure } = await readResult(work, submissionOf(record), seenIn);
  if (failure) throw failure;
}

/** Describe a pending intent: the status that the bundler reports, and why the node did not say. */
function pendingOf(intent: VerifiedIntent, isNew: boolean): (failure?: UpstreamUnavailableError) => Pending {
  const { detail, details } = notIncluded(intent);
  let bundlerStatus: string | undefined;
  if (!isNew) {
    const status = intent.chain.bundler?.status(intent.userOpHash);
    void status?.then((reported) => (bundlerStatus = reported?.status)).catch(() => undefined);
  }
  return (failure) => ({
    detail: failure ? `${detail} ${failure.detail}` : detail,
    details: { ...details, ...failure?.details, ...(bundlerStatus && { bundlerStatus }) },
    cause: failure,
  });
}

// A chain decides some blocks after the expiry.
const expiryCheckMs = 1_000;

/** Read the result when the follower of the chain stored something, or in growing pauses while nobody follows it. */
async function awaitResult(
  work: IntentWork,
  submission: Submission,
  waiting: Waiting & { readonly isNew: boolean },
  pending: (failure?: UpstreamUnavailableError) => Pending,
): Promise<ExecuteResponse> {
  const { sending } = submission;
  // No block has what was just submitted.
  let openAt = waiting.isNew && sending.kind === 'sent' ? sending.since : undefined;
  let seenIn: Hex | undefined;
  let failure: UpstreamUnavailableError | undefined;
  for (let polls = 0; ; polls++) {
    const sighting = openAt === undefined ? undefined : await see(work, openAt, waiting);
    // At the deadline it reads once more, because the follower may lag.
    if (sighting?.kind === 'unseen' && waiting.signal?.aborted)
      await waitOrGiveUp(pending(failure), waiting, polls);
    if (sighting?.kind === 'included') seenIn = sighting.txHash;
    const reading = await readResult(work, submission, seenIn);
    if (reading.response) return reading.response;
    if (reading.isReorganised) submission = { sending, moves: submission.moves };
    ({ openAt, failure } = reading);
    // Whatever was sighted, because the follower may repeat what the node does not confirm.
    await waitOrGiveUp(pending(failure), waiting, polls);
  }
}

function see(
  { intent: { chain, operation, userOpHash, expiry }, events, now }: IntentWork,
  after: bigint,
  { deadlineMs, signal }: Waiting,
): Promise<Sighting> {
  const { chainId } = chain;
  const { sender, nonce } = operation;
  const untilExpiryMs = Math.max(expiry * 1000 - now(), expiryCheckMs);
  const timeoutMs = Math.min(deadlineMs - now(), untilExpiryMs);
  return events.waitForOperation({ chainId, sender, nonce, userOpHash, after }, timeoutMs, signal);
}

/** What the chain shows of a submission. Nothing is decided while it has no response. */
interface Reading {
  readonly response?: ExecuteResponse;
  /** Why the node did not say. */
  readonly failure?: UpstreamUnavailableError | undefined;
  /** An earlier response is no longer on chain. */
  readonly isReorganised?: boolean;
  /** The block in which its nonce is unused. */
  readonly openAt?: bigint | undefined;
}

/**
 * Read the result of a submission from the chain, and store it. A failure counts only at the depth of the chain, because
 * its error sends the caller to prepare.
 *
 * @throws {ServiceError} of a final failure
 */
async function readResult(
  work: IntentWork,
  submission: Submission,
  seenIn = submission.response?.txHash,
): Promise<Reading> {
  const { intent } = work;
  const hadResponse = submission.response !== undefined;
  const location = await findInclusion(intent, searchOf(work, submission.sending), seenIn);
  if (location.kind === 'unclear') {
    // Nothing that this ledger sent is under way, and each search takes many requests.
    if (submission.sending.kind === 'not-sent' && !location.failure) throw unclear(intent);
    return { failure: location.failure };
  }
  if (location.kind === 'included' && location.inclusion.success)
    return { response: await succeed(work, submission, location.inclusion) };

  if (hadResponse) await advance(work, { state: 'submitted' });
  if (location.kind === 'included') {
    const { inclusion } = location;
    const { txHash } = inclusion;
    if (await isFinal(work, inclusion)) await fail(work, reverted(intent, inclusion), { txHash });
  } else if (location.kind === 'nonce-used') {
    if (await isFinal(work, location)) await fail(work, nonceUsed(intent));
  } else if (await isExpired(work, location)) {
    await advance(work, { state: 'expired' });
    throw expired(intent.expiry);
  }
  const openAt = location.kind === 'open' ? location.blockNumber : undefined;
  return { isReorganised: hadResponse, openAt };
}

/** Store a success. Its response counts at once, and is checked again until it is final. */
async function succeed(
  work: IntentWork,
  { sending, moves, response: earlier }: Submission,
  inclusion: Inclusion,
): Promise<ExecuteResponse> {
  const { intent, store, lease } = work;
  const { txHash, blockNumber } = inclusion;
  const isSame = earlier?.txHash === txHash && earlier.receipt.blockNumber === Number(blockNumber);
  const response = isSame ? earlier : buildResponse(intent, moves, inclusion);
  const isDecided = intent.chain.confirmations === 0 || (isSame && (await isFinal(work, inclusion)));
  if (isDecided) await advance(work, { state: 'confirmed', txHash, moves, response });
  else if (isSame) await store.release(intent.intentId, lease.owner);
  else await advance(work, { state: 'included', txHash, moves, response });
  return isSame || sending.kind === 'not-sent' ? { ...response, result: 'already_executed' } : response;
}

async function fail(
  work: IntentWork,
  failure: IntentFailure,
  transaction?: Pick<Inclusion, 'txHash'>,
): Promise<never> {
  await advance(work, { state: 'failed', failure, ...transaction });
  throw new TransactionSubmissionError({ ...failure, retryable: false });
}

/** Whether a block is deep enough. Where the follower of the chain did not store this very block, the node decides. */
async function isFinal(
  { intent: { chain }, events }: IntentWork,
  { blockNumber: number, blockHash: hash }: Pick<Inclusion, 'blockNumber'> & { readonly blockHash?: Hex },
): Promise<boolean> {
  const depth = hash && (await events.depthOf(chain.chainId, { number, hash }));
  return depth === undefined
    ? readFromNode(chain, isFinalBlock(chain, number))
    : depth >= BigInt(chain.confirmations);
}

function reverted({ userOpHash }: VerifiedIntent, { txHash, failure }: Inclusion): IntentFailure {
  const { revertReason = 'NO_REASON', aaCode } = failure ?? {};
  return {
    detail: `The operation was included and reverted: ${quoteReason(revertReason)}.`,
    details: { txHash, userOpHash, revertReason, ...(aaCode && { aaCode }) },
    nextAction: (aaCode ? aaCodes[aaCode] : errorCatalogue.PREFLIGHT_SIMULATION_FAILED).nextAction,
  };
}

/** Restore the submission of an intent that was submitted before. */
function submissionOf(record: IntentRecord): Submission {
  return { sending: sendingOf(record), moves: record.moves ?? [], response: record.response };
}

const isUnsubmitted = ({ state }: IntentRecord) => state === 'reserved' || state === 'simulated';
