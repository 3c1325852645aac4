import {
  NotFoundError,
  ServiceError,
  TransactionSubmissionError,
  type IntentFailureReport,
  type IntentListRequest,
  type IntentListResponse,
  type IntentStatus,
} from '@yield-vault/protocol';
import { getAddress, type Hex } from 'viem';
import { isLostWithFork } from './chain/locate-operation.js';
import { expired } from './errors.js';
import { restoreIntent } from './intent.js';
import type { ExecutionChains, IntentRecord, IntentStore, UnresolvedIntent } from './ports.js';

interface Ledger {
  readonly chains: ExecutionChains;
  readonly store: IntentStore;
}

/**
 * Show an intent of the ledger. An open one is resolved first, as far as the chain decides.
 *
 * @throws {NotFoundError} when the ledger does not know it, or its managed fork was recreated
 * @throws {UpstreamUnavailableError} when the managed fork does not respond
 */
export async function showIntent(
  {
    chains,
    store,
    searchBlocks,
    resume,
  }: Ledger & { readonly searchBlocks: bigint; readonly resume: (intent: UnresolvedIntent) => Promise<void> },
  id: Hex,
): Promise<IntentStatus> {
  const intentId = id.toLowerCase() as Hex;
  let record = await store.find(intentId);
  if (record && isOpen(record)) {
    await resume({ intentId: record.duplicateOf ?? intentId }).catch((error: unknown) => {
      // The record shows an outcome. After an outage, it shows the last state.
      if (!(error instanceof ServiceError)) throw error;
    });
    record = await store.find(intentId);
  }
  const intent = record && restoreIntent(record, chains);
  if (record && intent && !(await isLostWithFork(intent, record, searchBlocks)))
    return toIntentStatus(record, intent.chain.key);
  throw new NotFoundError({
    detail: `No intent ${intentId} was submitted here.`,
    nextAction: 'Execute the intent, or call prepare again.',
  });
}

/** List a page of the submitted intents of a wallet, newest first, without duplicates and those of a chain that is no longer active. */
export async function listIntents(
  { chains, store }: Ledger,
  request: IntentListRequest,
): Promise<IntentListResponse> {
  const { records, nextCursor } = await store.ofWallet(request);
  const intents = records.flatMap((record) => {
    const chain = chains.findById(record.chainId);
    return chain ? [toIntentStatus(record, chain.key)] : [];
  });
  return { wallet: getAddress(request.wallet), count: intents.length, intents, nextCursor };
}

const isOpen = ({ state }: IntentRecord) => !['confirmed', 'failed', 'expired'].includes(state);

function toIntentStatus(record: IntentRecord, chain: string): IntentStatus {
  const { intentId, state, chainId, wallet, userOpHash, txHash, expiry, response, duplicateOf } = record;
  const result = response ?? null;
  return {
    intentId,
    state,
    chain,
    chainId,
    wallet: getAddress(wallet),
    userOpHash,
    txHash: txHash ?? null,
    expiry,
    createdAt: record.createdAt.toISOString(),
    updatedAt: record.updatedAt.toISOString(),
    result: result && duplicateOf ? { ...result, result: 'already_executed' } : result,
    failure: failureOf(record),
    ...(duplicateOf && { duplicateOf }),
  };
}

function failureOf({ state, failure, expiry }: IntentRecord): IntentFailureReport | null {
  if (state === 'expired') return toReport(expired(expiry));
  return failure ? toReport(new TransactionSubmissionError(failure)) : null;
}

function toReport({ code, detail, details, nextAction }: ServiceError): IntentFailureReport {
  return { code, detail, details, nextAction };
}
