import { isFinalBlock, waitOrGiveUp, type Pending, type Waiting } from '@yield-vault/chains';
import {
  aaCodes,
  errorCatalogue,
  TransactionPendingError,
  TransactionSubmissionError,
  UpstreamUnavailableError,
  type ExecuteResponse,
} from '@yield-vault/protocol';
import { expired } from './errors.js';
import { fromNode } from './chain/inclusion.js';
import { advance, type IntentWork } from './lease.js';
import { findInclusion } from './chain/locate-operation.js';
import type { IntentFailure, IntentRecord } from './ports.js';
import { buildResponse } from './response.js';
import { nonceUsed, searchOf, submit } from './submission.js';
import type { Inclusion, Location, Submission, VerifiedIntent } from './types.js';

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
    return await awaitResult(work, submission, waiting, pending);
  } catch (error) {
    if (!(error instanceof UpstreamUnavailableError)) throw error;
    throw new TransactionPendingError({ ...pending(error), retryAfterSeconds: error.retryAfterSeconds ?? 1 });
  }
}

/**
 * Resolve an intent as far as the chain decides, and send nothing. The reservation of an intent that was never
 * submitted is deleted. An intent that can still be included stays submitted.
 *
 * @throws {ServiceError} of a final result, or when the node does not respond
 */
export async function resolveFromChain(work: IntentWork, record: IntentRecord): Promise<void> {
  const { intent, lease, store } = work;
  if (isUnsubmitted(record)) return store.deleteReservation(intent.intentId, lease.owner);
  const { failure } = await readResult(work, submissionOf(record));
  if (failure) throw failure;
}

/** Describe what a call waited for, for the error after its wait. */
export function notIncluded({ userOpHash }: VerifiedIntent): Pending {
  return { detail: 'The operation is not included yet.', details: { userOpHash } };
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

async function awaitResult(
  work: IntentWork,
  submission: Submission,
  waiting: Waiting,
  pending: (failure?: UpstreamUnavailableError) => Pending,
): Promise<ExecuteResponse> {
  for (let polls = 0; ; polls++) {
    const { response, failure, isReorganised } = await readResult(work, submission);
    if (response) return response;
    if (isReorganised) submission = { since: submission.since, moves: submission.moves };
    await waitOrGiveUp(pending(failure), waiting, polls);
  }
}

/** What the chain shows of a submission. Nothing is decided while it has no response. */
interface Reading {
  readonly response?: ExecuteResponse;
  /** Why the node did not say. */
  readonly failure?: UpstreamUnavailableError | undefined;
  /** An earlier response is no longer on chain. */
  readonly isReorganised?: boolean;
}

/**
 * Read the result of a submission from the chain, and store it. A failure counts only at the depth of the chain, because
 * its error sends the caller to prepare.
 *
 * @throws {ServiceError} of a final failure
 */
async function readResult(work: IntentWork, submission: Submission): Promise<Reading> {
  const { intent } = work;
  const hadResponse = submission.response !== undefined;
  const isAwaited = !hadResponse && work.now() <= intent.expiry * 1000;
  const location = await findInclusion(intent, { ...searchOf(work, submission.since), isAwaited });
  if (location.kind === 'unclear') return { failure: location.failure };
  if (location.kind === 'included' && location.inclusion.success)
    return { response: await succeed(work, submission, location.inclusion) };

  if (hadResponse) await advance(work, { state: 'submitted' });
  if (location.kind === 'included') {
    const { blockNumber, txHash } = location.inclusion;
    if (await isFinal(intent, blockNumber))
      await fail(work, reverted(intent, location.inclusion), { txHash });
  } else if (location.kind === 'nonce-used') {
    if (await isFinal(intent, location.blockNumber)) await fail(work, nonceUsed(intent));
  } else if (await isExpired(work, location)) {
    await advance(work, { state: 'expired' });
    throw expired(intent.expiry);
  }
  return { isReorganised: hadResponse };
}

/** Store a success. Its response counts at once, and is checked again until it is final. */
async function succeed(
  work: IntentWork,
  { since, moves, response: earlier }: Submission,
  inclusion: Inclusion,
): Promise<ExecuteResponse> {
  const { intent, store, lease } = work;
  const { txHash, blockNumber } = inclusion;
  const isSame = earlier?.txHash === txHash && earlier.receipt.blockNumber === Number(blockNumber);
  const response = isSame ? earlier : buildResponse(intent, moves, inclusion);
  const isDecided = intent.chain.confirmations === 0 || (isSame && (await isFinal(intent, blockNumber)));
  if (isDecided) await advance(work, { state: 'confirmed', txHash, moves, response });
  else if (isSame) await store.release(intent.intentId, lease.owner);
  else await advance(work, { state: 'included', txHash, moves, response });
  // Without `since` this call sent nothing, so the intent was executed before.
  return isSame || since === undefined ? { ...response, result: 'already_executed' } : response;
}

async function fail(
  work: IntentWork,
  failure: IntentFailure,
  transaction?: Pick<Inclusion, 'txHash'>,
): Promise<never> {
  await advance(work, { state: 'failed', failure, ...transaction });
  throw new TransactionSubmissionError({ ...failure, retryable: false });
}

/** Whether a block is deep enough. `undefined` means a block too old to find, which is deep enough. */
async function isFinal(
  { chain }: Pick<VerifiedIntent, 'chain'>,
  blockNumber: bigint | undefined,
): Promise<boolean> {
  return blockNumber === undefined || fromNode(chain, isFinalBlock(chain, blockNumber));
}

/** Whether no block includes it and no later one can. */
async function isExpired(
  { intent: { chain, expiry }, now }: IntentWork,
  { timestamp, blockNumber }: Extract<Location, { kind: 'open' }>,
): Promise<boolean> {
  const depth = BigInt(chain.confirmations);
  const isLate = (seconds: bigint) => seconds > BigInt(expiry);
  const timeOf = async (block: { readonly blockNumber: bigint } | { readonly blockTag: 'pending' }) =>
    (await fromNode(chain, chain.rpc.getBlock(block))).timestamp;
  if (isLate(timestamp))
    return (
      depth === 0n || (blockNumber >= depth && isLate(await timeOf({ blockNumber: blockNumber - depth })))
    );
  // A chain that mines on demand has no newer block while it is idle.
  return depth === 0n && now() > expiry * 1000 && isLate(await timeOf({ blockTag: 'pending' }));
}

function reverted({ userOpHash }: VerifiedIntent, { txHash, failure }: Inclusion): IntentFailure {
  const { revertReason = 'NO_REASON', aaCode } = failure ?? {};
  return {
    detail: `The operation was included and reverted: ${revertReason}.`,
    details: { txHash, userOpHash, revertReason, ...(aaCode && { aaCode }) },
    nextAction: (aaCode ? aaCodes[aaCode] : errorCatalogue.PREFLIGHT_SIMULATION_FAILED).nextAction,
  };
}

/** Restore the submission of an intent that was submitted before. */
function submissionOf({ submittedBlock, moves = [], response }: IntentRecord): Submission {
  return { since: submittedBlock, moves, ...(response && { response }) };
}

const isUnsubmitted = ({ state }: IntentRecord) => state === 'reserved' || state === 'simulated';
