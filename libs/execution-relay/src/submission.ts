import type { BundlerRejection } from '@yield-vault/chains';
import { decodeRevertReason } from '@yield-vault/contracts';
import {
  aaCodes,
  operatorAction,
  TransactionSubmissionError,
  TransactionValidationError,
  UpstreamUnavailableError,
  type ServiceError,
  type UserOperation,
} from '@yield-vault/protocol';
import { fromNode } from './chain/inclusion.js';
import { withDelegation } from './delegation.js';
import { advance, type IntentWork } from './lease.js';
import { findInclusion, locateOperation, readNextNonce } from './chain/locate-operation.js';
import { readMoves, requireSubmittable } from './policy.js';
import type { BundlerPort, IntentFailure } from './ports.js';
import { passesPreflight } from './preflight.js';
import type { Search, Submission, VerifiedIntent } from './types.js';

/**
 * Submit an intent that was never sent, once. Afterwards only the chain decides.
 *
 * @throws {ServiceError} when nothing was sent, or the bundler refused it; deletes the reservation
 */
export async function submit(work: IntentWork): Promise<Submission> {
  const { intent, lease, store } = work;
  // After a failure to delete, the lease expires.
  const deleteReservation = async (error: unknown): Promise<never> => {
    await store.deleteReservation(intent.intentId, lease.owner).catch(() => undefined);
    throw error;
  };
  const { operation, ...submission } = await prepareSubmission(work).catch(deleteReservation);
  if (submission.since === undefined) return submission;
  const refusal = await send(work, operation, submission.since);
  return refusal ? deleteReservation(refusal) : submission;
}

/** Read the newest block, and the next nonce, before a submission. */
export function readStart({ chain, operation }: VerifiedIntent): NonNullable<IntentWork['start']> {
  return Promise.all([
    fromNode(chain, chain.rpc.getBlockNumber({ cacheTime: 0 })),
    readNextNonce(chain, operation),
  ]);
}

/** Where to search for a submission on chain. */
export function searchOf({ intent, searchBlocks }: IntentWork, since: bigint | undefined): Search {
  return { since, searchBlocks, ...(since === undefined && { until: intent.expiry }) };
}

function requireBundler({ chain }: VerifiedIntent): BundlerPort {
  if (chain.bundler) return chain.bundler;
  throw new UpstreamUnavailableError({
    detail: `No bundler is configured for ${chain.key}.`,
    details: { dependency: `bundler:${chain.key}` },
    retryAfterSeconds: 60,
  });
}

/**
 * Check everything that precedes a submission, and store that it may be sent from now on; `since` is `undefined` when
 * there is nothing to send.
 */
async function prepareSubmission(
  work: IntentWork,
): Promise<Submission & { readonly operation: UserOperation }> {
  const { intent, simulate, vaults } = work;
  requireBundler(intent);
  const moves = readMoves(intent, vaults);
  const nothingToSend = { since: undefined, moves, operation: intent.operation };
  let operation: UserOperation;
  try {
    requireSubmittable(intent, vaults, work.now());
    operation = await withDelegation(intent);
  } catch (error) {
    if (!(error instanceof TransactionValidationError) || !(await wasExecuted(work))) throw error;
    return nothingToSend;
  }
  if (!(await passesPreflight(intent, simulate, searchOf(work, undefined)))) return nothingToSend;
  if (simulate) await advance(work, { state: 'simulated' });
  const [since, nextNonce] = await (work.start ?? readStart(intent));
  if (nextNonce > intent.operation.nonce) return nothingToSend;
  await advance(work, { state: 'submitted', submittedBlock: since, moves });
  return { since, moves, operation };
}

/**
 * Check whether an operation that may not be submitted is on chain: the ledger may have lost it.
 *
 * @throws {TransactionSubmissionError} when its nonce is used, and the chain does not show by which operation
 */
async function wasExecuted(work: IntentWork): Promise<boolean> {
  const { intent } = work;
  const location = await locateOperation(intent, searchOf(work, undefined));
  if (location.kind === 'included') return true;
  if (location.kind === 'open' || (location.kind === 'nonce-used' && location.blockNumber !== undefined))
    return false;
  throw new TransactionSubmissionError({ ...nonceUsed(intent), retryable: false });
}

/**
 * Send an operation to the bundler.
 *
 * @returns why it will not be included; `undefined` when only the chain can say
 */
async function send(
  work: IntentWork,
  operation: UserOperation,
  since: bigint,
): Promise<ServiceError | undefined> {
  const { intent } = work;
  const bundler = requireBundler(intent);
  const sent = await bundler.send(operation);
  if (sent.outcome === 'unsent') return sent.error;
  if (sent.outcome !== 'refused') return undefined;
  // A gateway may have sent it twice, and passed on the second response.
  const [{ kind }, reported] = await Promise.all([
    findInclusion(intent, searchOf(work, since)),
    bundler.status(intent.userOpHash),
  ]);
  const isUnknownToBundler = reported === undefined || /^(not_found|rejected)$/.test(reported.status);
  return kind === 'open' && isUnknownToBundler ? explainRejection(sent.rejection) : undefined;
}

/** Why an intent failed whose nonce another operation used. */
export function nonceUsed({ userOpHash }: VerifiedIntent): IntentFailure {
  return {
    detail: 'Another operation of this wallet used the nonce.',
    details: { aaCode: 'AA25', userOpHash },
    nextAction: aaCodes.AA25.nextAction,
  };
}

// ERC-7769 codes that no new signature cures: opcode rules, reputation, stake, aggregator, deposit.
const operatorCodes = new Set([-32502, -32504, -32505, -32506, -32508]);

/** Make the error for a bundler's refusal. Its EntryPoint code says who can cure it, else the bundler's own code. */
export function explainRejection(rejection: BundlerRejection): TransactionSubmissionError {
  const { aaCode, bundlerCode, revertData, message } = rejection;
  const entry = aaCode && aaCodes[aaCode];
  const curable = entry ? entry.curable : !operatorCodes.has(bundlerCode);
  const nextAction = entry?.nextAction ?? (curable ? undefined : operatorAction);
  return new TransactionSubmissionError({
    detail: `The bundler refused the operation: ${entry ? `${aaCode} ${entry.meaning}` : message}.`,
    details: {
      bundlerCode,
      ...(aaCode && { aaCode }),
      ...(revertData !== undefined && { revertReason: decodeRevertReason(revertData) }),
    },
    ...(nextAction && { nextAction }),
    ...(!curable && { retryAfterSeconds: 10 }),
    retryable: !curable,
    cause: rejection,
  });
}
