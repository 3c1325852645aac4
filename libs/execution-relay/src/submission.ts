import { isNotHeld, readFromNode, type BundlerRejection } from '@yield-vault/chains';
import { decodeRevertReason } from '@yield-vault/contracts';
import {
  aaCodes,
  DepositCapReachedError,
  DepositsPausedError,
  isNamed,
  maxBigInt,
  operatorAction,
  PreflightSimulationError,
  TransactionSubmissionError,
  TransactionValidationError,
  UpstreamUnavailableError,
  type ServiceError,
  type UserOperation,
} from '@yield-vault/protocol';
import { withDelegation } from './chain/delegation.js';
import { invalid, unclear } from './errors.js';
import { advance, LeaseLostError, type HeadAndNonce, type IntentWork } from './lease.js';
import { findInclusion, locateOperation, notSent } from './chain/locate-operation.js';
import { readNextNonce } from './chain/nonce-use.js';
import { readMoves, requireSubmittable } from './policy.js';
import type { BundlerPort, ChainEventsPort, IntentFailure, VaultMove } from './ports.js';
import { requirePreflight } from './preflight.js';
import type { Inclusion, Location, Search, Sending, Submission, VerifiedIntent } from './types.js';

/**
 * Submit an intent that this ledger has not sent, once. Afterwards only the chain decides.
 *
 * @throws {ServiceError} when it was not sent, or the bundler refused it; deletes its row
 * @throws {LeaseLostError} when another process took it over
 */
export async function submit(work: IntentWork): Promise<Submission> {
  const { intent, lease, store } = work;
  // After a failure to delete, the lease expires.
  const deleteReservation = async (error: unknown): Promise<never> => {
    const isDeleted = await store.deleteReservation(intent.intentId, lease.owner).catch(() => true);
    // A new owner may send it, or has.
    throw isDeleted ? error : new LeaseLostError();
  };
  const { operation, ...submission } = await prepareSubmission(work).catch(deleteReservation);
  const { sending } = submission;
  if (sending.kind === 'not-sent') return submission;
  const refusal = await send(work, operation, sending);
  return refusal ? deleteReservation(refusal) : submission;
}

// The follower may be so many blocks ahead of our node, which then does not show yet that the nonce is used.
const aheadBlocks = 16n;

/** Read the newest block and the next nonce before a submission. An older block only makes a later search longer. */
export function readHeadAndNonce(
  { chain, operation }: VerifiedIntent,
  events: ChainEventsPort,
): HeadAndNonce {
  const readSince = async () => {
    const stored = await events.newestBlock(chain.chainId);
    return stored === undefined
      ? readFromNode(chain, chain.rpc.getBlockNumber({ cacheTime: 0 }))
      : maxBigInt(0n, stored - aheadBlocks);
  };
  return Promise.all([readSince(), readNextNonce(chain, operation)]);
}

/** Where to search for a submission on chain. */
export function searchOf({ searchBlocks }: IntentWork, sending: Sending): Search {
  return { sending, searchBlocks };
}

/** Whether no block includes it and no later one can. */
export async function isExpired(
  { intent: { chain, expiry }, now }: IntentWork,
  { timestamp, blockNumber }: Extract<Location, { kind: 'open' }>,
): Promise<boolean> {
  const depth = BigInt(chain.confirmations);
  const isLate = (seconds: bigint) => seconds > BigInt(expiry);
  const timeOf = async (block: { readonly blockNumber: bigint } | { readonly blockTag: 'pending' }) =>
    (await readFromNode(chain, chain.rpc.getBlock(block))).timestamp;
  if (isLate(timestamp))
    return (
      depth === 0n || (blockNumber >= depth && isLate(await timeOf({ blockNumber: blockNumber - depth })))
    );
  // A chain that mines on demand has no newer block while it is idle.
  return depth === 0n && now() > expiry * 1000 && isLate(await timeOf({ blockTag: 'pending' }));
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
 * Check an intent, and store it as submitted. Where the chain or the bundler may already have its operation, the
 * submission is `not-sent`, and nothing must be sent.
 */
async function prepareSubmission(
  work: IntentWork,
): Promise<Submission & { readonly operation: UserOperation }> {
  const { intent, simulate, vaults } = work;
  requireBundler(intent);
  try {
    const moves = requireSubmittable(intent, vaults, work.now());
    const operation = await withDelegation(intent);
    if (simulate) {
      await requirePreflight(intent, simulate);
      await advance(work, { state: 'simulated' });
    }
    const [since, nextNonce] = await (work.headAndNonce ?? readHeadAndNonce(intent, work.events));
    if (nextNonce > intent.operation.nonce) return { sending: notSent, moves, operation };
    await advance(work, { state: 'submitted', submittedBlock: since, chain: intent.chain.key, moves });
    return { sending: { kind: 'sent', since }, moves, operation };
  } catch (error) {
    if (!isRefusal(error)) throw error;
    const outcome = await recheckRefused(work, error);
    if (outcome === 'refused') throw error;
    const moves = findMoves(work);
    if (moves) return { sending: notSent, moves, operation: intent.operation };
    if (outcome === 'pending') throw unclear(intent);
    throw invalid(
      'UNLISTED_VAULT',
      `The operation was included in ${outcome.txHash}. Its vault is no longer listed, so its result is unknown here.`,
      { txHash: outcome.txHash },
      'Read the position from the chain, and do not sign the operation again.',
    );
  }
}

const isRefusal = (error: unknown): error is ServiceError =>
  error instanceof TransactionValidationError ||
  error instanceof PreflightSimulationError ||
  error instanceof DepositsPausedError ||
  error instanceof DepositCapReachedError;

/** @returns `undefined` where its vaults are no longer known */
function findMoves({ intent, vaults }: IntentWork): readonly VaultMove[] | undefined {
  try {
    return readMoves(intent, vaults);
  } catch {
    return undefined;
  }
}

/**
 * Check whether a refused operation was sent before, because the ledger may have lost it.
 *
 * @throws {UpstreamUnavailableError} when node or bundler do not respond
 */
async function recheckRefused(
  work: IntentWork,
  refusal: ServiceError,
): Promise<'refused' | 'pending' | Inclusion> {
  const { intent, store, latestExpiry } = work;
  const location = await locateOperation(intent, searchOf(work, notSent));
  if (location.kind === 'included') return location.inclusion;
  if (location.kind === 'nonce-used') return 'refused';
  if (location.kind === 'unclear') return 'pending';
  if (!findMoves(work) && (await isExpired(work, location))) return 'refused';
  // The simulation knows of a use of the nonce that our node lacks: it may be this very operation.
  if (refusal.details['aaCode'] === 'AA25' && location.isNext) return 'pending';
  if ((await requireBundler(intent).holds(intent.userOpHash)) === 'held') return 'pending';
  const restoredAt = await store.restoredAt();
  const mayBeLost = restoredAt && intent.expiry <= latestExpiry(restoredAt.getTime() / 1000);
  return mayBeLost ? 'pending' : 'refused';
}

/**
 * Send an operation to the bundler.
 *
 * @returns why it will not be included; `undefined` when only the chain can say
 */
async function send(
  work: IntentWork,
  operation: UserOperation,
  sending: Sending,
): Promise<ServiceError | undefined> {
  const { intent } = work;
  const bundler = requireBundler(intent);
  const sent = await bundler.send(operation);
  if (sent.outcome === 'unsent') return sent.error;
  if (sent.outcome === 'accepted') return undefined;
  const rejection = sent.outcome === 'refused' ? sent.rejection : reputationRejection(sent.cause);
  if (!rejection) return undefined;
  // A gateway may have sent it twice, and passed on the second response.
  const [{ kind }, reported] = await Promise.all([
    findInclusion(intent, searchOf(work, sending)),
    bundler.status(intent.userOpHash),
  ]);
  const isRejected =
    sent.outcome === 'refused'
      ? reported === undefined || isNotHeld(reported)
      : reported?.status === 'rejected';
  return kind === 'open' && isRejected ? explainRejection(rejection, operation) : undefined;
}

const reputationCodes = new Set([-32504, -32505]);

/** A rejection for reputation proves nothing alone, because a bundler may include the operation once that recovers. */
function reputationRejection(cause: unknown): BundlerRejection | undefined {
  const isReputation =
    isNamed<BundlerRejection>(cause, 'BundlerRejection') && reputationCodes.has(cause.bundlerCode);
  return isReputation ? cause : undefined;
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
const operatorCodes = new Set([...reputationCodes, -32502, -32506, -32508]);

// Bundlers refuse a stale authorization, and the marker without one, because the wallet may delegate already.
const authorizationRefusal = /7702|authorization/i;
const prepareAtOnce =
  'Call prepare again at once: somebody may have included the authorization, and then the wallet is set up.';

/** Make the error for a bundler's refusal. Its EntryPoint code says who can cure it, else the bundler's own code. */
export function explainRejection(
  rejection: BundlerRejection,
  { factory }: Pick<UserOperation, 'factory'>,
): TransactionSubmissionError {
  const { aaCode, bundlerCode, revertData, message } = rejection;
  const entry = aaCode && aaCodes[aaCode];
  const curable = entry ? entry.curable : !operatorCodes.has(bundlerCode);
  const isStale = factory !== undefined && authorizationRefusal.test(message);
  const nextAction = entry?.nextAction ?? (curable ? (isStale ? prepareAtOnce : undefined) : operatorAction);
  return new TransactionSubmissionError({
    detail: `The bundler refused the operation: ${entry ? `${aaCode} ${entry.meaning}` : message.replace(/\.$/, '')}.`,
    details: {
      bundlerCode,
      ...(aaCode && { aaCode }),
      ...(revertData !== undefined && { revertReason: decodeRevertReason(revertData) }),
    },
    nextAction,
    retryAfterSeconds: curable ? undefined : 10,
    retryable: !curable,
    cause: rejection,
  });
}
