import { BundlerRejection } from '@yield-vault/chains';
import { decodeRevertReason } from '@yield-vault/contracts';
import {
  aaCodes,
  operatorAction,
  TransactionSubmissionError,
  UpstreamUnavailableError,
} from '@yield-vault/protocol';
import { locateOperation } from './locate-operation.js';
import type { BundlerPort } from './ports.js';
import type { Search, VerifiedIntent } from './types.js';

/** @throws {UpstreamUnavailableError} where no bundler is configured */
export function requireBundler({ chain }: VerifiedIntent): BundlerPort {
  if (chain.bundler) return chain.bundler;
  throw new UpstreamUnavailableError({
    detail: `No bundler is configured for ${chain.key}.`,
    details: { dependency: `bundler:${chain.key}` },
    retryAfterSeconds: 60,
  });
}

/**
 * Send an operation to the bundler. After it returns, the bundler has the operation, or its nonce is used or about to
 * be.
 *
 * @throws {TransactionSubmissionError} when the bundler refused it and the chain has no trace of it
 * @throws {UpstreamUnavailableError} when the outcome is unknown
 */
export async function submitOperation(
  intent: VerifiedIntent,
  bundler: BundlerPort,
  search: Search,
): Promise<void> {
  try {
    await bundler.send(intent.operation);
  } catch (error) {
    const refused = error instanceof BundlerRejection;
    if (!refused && !(error instanceof UpstreamUnavailableError)) throw error;
    const location = await locateOperation(intent, search);
    if (location.kind !== 'open') return;
    // The bundler knows of a use of the nonce that our node lacks: it may be this very operation.
    if (refused && error.aaCode === 'AA25' && location.isNext) return;
    if (refused) throw explainRejection(error);
    const isKnown = await isKnownToBundler(intent, bundler).catch(() => false);
    if (!isKnown) throw error;
  }
}

/**
 * Check whether the bundler holds an operation. A bundler that cannot tell counts as not holding it.
 *
 * @throws {UpstreamUnavailableError} when it does not respond
 */
export async function isKnownToBundler(
  { userOpHash }: VerifiedIntent,
  bundler: BundlerPort,
): Promise<boolean> {
  try {
    return (await bundler.get(userOpHash)) !== null;
  } catch (error) {
    if (error instanceof BundlerRejection) return false;
    throw error;
  }
}

// ERC-7769 codes that no new signature cures: method missing, opcode rules, reputation, stake, aggregator, deposit.
const operatorCodes = new Set([-32601, -32502, -32504, -32505, -32506, -32508, -32603]);

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
