import { waitOrGiveUp, type Waiting } from '@yield-vault/chains';
import {
  aaCodes,
  TransactionSubmissionError,
  UpstreamUnavailableError,
  type ExecuteResponse,
} from '@yield-vault/protocol';
import type { Hex } from 'viem';
import type {
  BundlerPort,
  IntentFailure,
  IntentLease,
  IntentRecord,
  IntentStore,
  IntentTransition,
  SimulatorPort,
  VaultMove,
  VaultsPort,
} from '../ports.js';
import type { Inclusion, VerifiedIntent } from '../types.js';
import { invalid } from '../errors.js';
import { buildResponse } from './build-response.js';
import { checkCallData } from './check-call-data.js';
import { notIncluded } from './not-included.js';
import { requireSubmittable } from './require-submittable.js';
import { simulateIntent } from './simulate-intent.js';
import { findInclusion } from './find-inclusion.js';
import { fromNode } from './from-node.js';
import type { Location, Search } from './locate-operation.js';
import { isKnownToBundler, submitOperation } from './submit-operation.js';

/** Another process took the intent over. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';
}

/** What work on one intent needs. */
export interface Settlement {
  readonly intent: VerifiedIntent;
  readonly lease: IntentLease;
  readonly store: IntentStore;
  readonly vaults: VaultsPort;
  readonly simulate: SimulatorPort | undefined;
  readonly searchBlocks: bigint;
  readonly now: () => number;
}

/**
 * Bring an intent that this process holds the lease of to its end. Every step is stored before what it leads to.
 *
 * @param record - how far it is
 * @throws {PreflightSimulationError} when it would fail; one that was never submitted is unsubmitted again
 * @throws {TransactionSubmissionError} when the bundler refuses it (unsubmitted again), or it failed for good
 * @throws {TransactionValidationError} when it may not be submitted, or is over
 * @throws {TransactionPendingError} when the wait is over
 * @throws {UpstreamUnavailableError} when a dependency does not answer, or the node still refuses to when the wait is over
 * @throws {LeaseLostError} when another process took it over
 */
export async function settleIntent(
  work: Settlement,
  record: IntentRecord,
  waiting: Waiting,
): Promise<ExecuteResponse> {
  const { intent, lease, store } = work;
  const bundler = requireBundler(intent);
  const { since, moves } =
    record.state === 'reserved' || record.state === 'simulated'
      ? await submit(work, bundler)
      : await resubmitIfLost(work, record, bundler);

  for (let looks = 0; ; looks++) {
    const location = await findInclusion(intent, bundler, { since, searchBlocks: work.searchBlocks });
    if (isDecided(location)) return conclude(work, location, moves);
    await waitOrGiveUp(notIncluded(intent), waiting, looks).catch((error: unknown) => {
      throw refusalOf(location) ?? error;
    });
    if (!(await store.renew(intent.intentId, lease))) throw new LeaseLostError();
  }
}

/**
 * Bring an intent to its end as far as the chain says, and send nothing. One that was never sent is unsubmitted
 * again; one that can still be included stays as it is.
 *
 * @throws {UpstreamUnavailableError} when the node does not answer, or refuses to
 */
export async function settleFromChain(work: Settlement, record: IntentRecord): Promise<void> {
  const { intent, lease, store } = work;
  if (record.state === 'reserved' || record.state === 'simulated') {
    return store.forget(intent.intentId, lease.owner);
  }
  const location = await findInclusion(intent, requireBundler(intent), searchOf(work, record));
  const refusal = refusalOf(location);
  if (refusal) throw refusal;
  if (isDecided(location)) await conclude(work, location, record.moves);
  else if (isOver(intent, location)) await advance(work, { state: 'expired' });
}

/** What is known of an operation that the bundler got, or whose nonce is used. */
interface Submission {
  /** A block before which it cannot have been included. */
  readonly since: bigint | undefined;
  /** Unknown of what an older version submitted. */
  readonly moves: readonly VaultMove[] | undefined;
}

async function submit(work: Settlement, bundler: BundlerPort): Promise<Submission> {
  const { intent, lease, store, searchBlocks } = work;
  const forget = async (error: unknown): Promise<never> => {
    // Should this fail, the lease runs out, and the intent is forgotten later.
    await store.forget(intent.intentId, lease.owner).catch(() => undefined);
    throw error;
  };
  const passed = await passPreflight(work, bundler).catch(forget);
  const { since, moves } = passed;
  if (since === undefined) return passed;
  await advance(work, { state: 'submitted', submittedBlock: since, moves });
  await submitOperation(intent, bundler, { since, searchBlocks }).catch((error: unknown) => {
    if (error instanceof TransactionSubmissionError) return forget(error);
    throw error;
  });
  return passed;
}

/**
 * Check everything that an intent has to pass before anything is sent.
 *
 * @returns the newest block as `since`; `undefined` when there is nothing to send (any more)
 */
async function passPreflight(work: Settlement, bundler: BundlerPort) {
  const { intent, searchBlocks } = work;
  const moves = requireSubmittable(intent, work.vaults, work.now());
  if (!(await mayBeSent(work, bundler, { since: undefined, searchBlocks })))
    return { since: undefined, moves };
  if (work.simulate) await advance(work, { state: 'simulated' });
  return { since: await fromNode(intent.chain, intent.chain.rpc.getBlockNumber({ cacheTime: 0 })), moves };
}

/**
 * Simulate an intent right before it is sent. The state that an earlier process simulated on may be long gone, so
 * each time counts for itself.
 *
 * @returns false when its nonce is used, and nobody says that it was by another operation
 * @throws {PreflightSimulationError} when it would fail
 */
async function mayBeSent(work: Settlement, bundler: BundlerPort, search: Search): Promise<boolean> {
  const { intent, simulate } = work;
  const failure = simulate && (await simulateIntent(intent, simulate));
  if (!failure) return true;
  // An operation that is in a block already cannot run again: that is not a failure of it.
  if (failure.details.aaCode === 'AA25') {
    const location = await findInclusion(intent, bundler, search);
    if (location.kind === 'included' || location.kind === 'unclear') return false;
    // The simulation knows of a use of the nonce that our node does not show yet: it may be this very operation.
    if (location.kind === 'open' && location.isNext) return false;
  }
  throw failure;
}

/** Send again only what is neither in a block nor with the bundler, while its nonce is unused. */
async function resubmitIfLost(
  work: Settlement,
  record: IntentRecord,
  bundler: BundlerPort,
): Promise<Submission> {
  const { intent } = work;
  const search = searchOf(work, record);
  const submission = { since: search.since, moves: record.moves };
  const location = await findInclusion(intent, bundler, search);
  if (location.kind !== 'open' || (await isKnownToBundler(intent, bundler))) return submission;
  if (isOver(intent, location)) {
    await advance(work, { state: 'expired' });
    throw invalid('INTENT_EXPIRED', `The intent expired at ${intent.expiry}.`);
  }
  requireSubmittable(intent, work.vaults, work.now());
  // The bundler lost it, so the chain may have moved on since: nothing goes to a bundler that would fail now.
  if (!(await mayBeSent(work, bundler, search))) return submission;
  await advance(work, { state: 'submitted' });
  // A refusal now does not undo the first time: a block that we do not see yet may hold it.
  await submitOperation(intent, bundler, search);
  return submission;
}

async function conclude(
  work: Settlement,
  location: Decided,
  knownMoves: readonly VaultMove[] | undefined,
): Promise<ExecuteResponse> {
  const { intent, vaults } = work;
  if (location.kind === 'nonce-used') return fail(work, nonceUsed(intent));
  const { inclusion } = location;
  const { txHash } = inclusion;
  if (!inclusion.success) return fail(work, reverted(intent, inclusion), txHash);
  // Of what an older version submitted, the catalogue alone knows.
  const moves = knownMoves ?? checkCallData(intent.operation.callData, intent.chain, vaults);
  await advance(work, { state: 'included', txHash, moves });
  const response = buildResponse(intent, moves, inclusion);
  await advance(work, { state: 'confirmed', response });
  return response;
}

async function fail(work: Settlement, failure: IntentFailure, txHash?: Hex): Promise<never> {
  await advance(work, { state: 'failed', failure, ...(txHash && { txHash }) });
  throw new TransactionSubmissionError({ ...failure, retryable: false });
}

async function advance({ store, intent, lease }: Settlement, transition: IntentTransition): Promise<void> {
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

type Decided = Extract<Location, { kind: 'included' | 'nonce-used' }>;

function isDecided(location: Location): location is Decided {
  return location.kind === 'included' || location.kind === 'nonce-used';
}

function refusalOf(location: Location): UpstreamUnavailableError | undefined {
  return location.kind === 'unclear' ? location.refusal : undefined;
}

/** Whether no block has included it and no later one can. */
function isOver({ expiry }: VerifiedIntent, location: Location): boolean {
  return location.kind === 'open' && location.timestamp > BigInt(expiry);
}

function searchOf({ searchBlocks }: Settlement, { submittedBlock }: IntentRecord): Search {
  return { since: submittedBlock, searchBlocks };
}

function requireBundler({ chain }: VerifiedIntent): BundlerPort {
  if (chain.bundler) return chain.bundler;
  throw new UpstreamUnavailableError({
    detail: `No bundler is configured for ${chain.key}.`,
    details: { dependency: `bundler:${chain.key}` },
    retryAfterSeconds: 60,
  });
}
