import { BundlerRejection, type UserOperationGas } from '@yield-vault/chains';
import { UpstreamUnavailableError, type UserOperation } from '@yield-vault/protocol';
import { encodeAccountCall, stubIntentSignature } from '@yield-vault/smart-account';
import type { IntentBuilderOptions, Order, Plan, Snapshot } from '../types.js';
import { explainRejection } from './explain-rejection.js';
import { planHooks } from './plan-hooks.js';
import { readQuotes } from './read-quotes.js';

/** An operation with everything but its signature, and when it is valid. */
export interface EstimatedOperation {
  readonly operation: UserOperation;
  readonly plan: Plan;
  /** What the bundler asked for, without our margins. */
  readonly bareGas: UserOperationGas;
  /** Unix seconds. */
  readonly expiry: number;
  /** Unix seconds. */
  readonly validAfter: number;
}

// A price that is about to run out leaves no time to sign.
const shortestValiditySeconds = 30;
// Vaults accrue, and slots turn cold, between the estimate and the inclusion.
const marginsPercent = { call: 130n, verification: 115n, preVerification: 105n } as const;
// The fee is only charged as it is at inclusion; until then the base fee may rise, by an eighth a block.
const feeHeadroomPercent = 125n;
// Unused gas above this is penalised by the entry point; below it a roomier limit is free.
const smallestPostOpGasLimit = 40_000n;

/**
 * Quote the vaults and let the bundler estimate the operation, both at once. The estimate runs the operation, so it
 * also tells whether the vault takes it.
 *
 * @param nowMs - milliseconds since 1970
 * @throws {VaultAtCapacityError | PreflightSimulationError | InsufficientBalanceError | TransactionSubmissionError}
 * @throws {UpstreamUnavailableError} when the bundler does not answer, or the paymaster's price has run out
 */
export async function estimateOperation(
  order: Order,
  snapshot: Snapshot,
  options: IntentBuilderOptions,
  nowMs: number,
): Promise<EstimatedOperation> {
  const { chain, wallet } = order;
  const { executor, paymaster } = chain.contracts;
  const window = windowOf(order, snapshot, options, nowMs);
  const callDataOf = (plan: Plan) => encodeAccountCall(executor, plan.hooks);

  const draft: UserOperation = {
    sender: wallet,
    nonce: snapshot.nonce,
    // The quotes are on their way: the smallest minimums let the estimate run meanwhile.
    callData: callDataOf(planHooks(order, snapshot, { out: 0n, sourceOut: 0n }, options)),
    callGasLimit: 0n,
    verificationGasLimit: 0n,
    preVerificationGas: 0n,
    maxFeePerGas: raise(snapshot.gasPrice.maxFeePerGas, feeHeadroomPercent),
    maxPriorityFeePerGas: snapshot.gasPrice.maxPriorityFeePerGas,
    paymaster,
    paymasterVerificationGasLimit: 0n,
    paymasterPostOpGasLimit: 0n,
    paymasterData: '0x',
    signature: stubIntentSignature(window.expiry, window.validAfter),
  };
  const [quotes, bareGas] = await Promise.all([
    readQuotes(order, snapshot),
    snapshot.bundler.estimate(draft).catch((error: unknown) => {
      throw error instanceof BundlerRejection ? explainRejection(error, order, snapshot) : error;
    }),
  ]);
  const plan = planHooks(order, snapshot, quotes, options);
  const operation = {
    ...draft,
    callData: callDataOf(plan),
    ...withMargins(bareGas),
    signature: '0x' as const,
  };
  return { operation, plan, bareGas, ...window };
}

function windowOf(
  { chain }: Order,
  { paymaster }: Snapshot,
  { expirySeconds, validAfterSeconds }: IntentBuilderOptions,
  nowMs: number,
): { expiry: number; validAfter: number } {
  const now = Math.floor(nowMs / 1000);
  if (paymaster.validUntil < now + shortestValiditySeconds) {
    throw new UpstreamUnavailableError({
      detail: `The price feed of the paymaster on ${chain.key} is stale.`,
      details: { dependency: `price-feed:${chain.key}` },
      retryAfterSeconds: shortestValiditySeconds,
    });
  }
  return {
    expiry: Math.min(now + expirySeconds, paymaster.validUntil),
    validAfter: validAfterSeconds === 0 ? 0 : now + validAfterSeconds,
  };
}

function withMargins(gas: UserOperationGas): UserOperationGas {
  const postOp = raise(gas.paymasterPostOpGasLimit, marginsPercent.verification);
  return {
    callGasLimit: raise(gas.callGasLimit, marginsPercent.call),
    verificationGasLimit: raise(gas.verificationGasLimit, marginsPercent.verification),
    preVerificationGas: raise(gas.preVerificationGas, marginsPercent.preVerification),
    paymasterVerificationGasLimit: raise(gas.paymasterVerificationGasLimit, marginsPercent.verification),
    paymasterPostOpGasLimit: postOp > smallestPostOpGasLimit ? postOp : smallestPostOpGasLimit,
  };
}

const raise = (value: bigint, percent: bigint): bigint => (value * percent + 99n) / 100n;
