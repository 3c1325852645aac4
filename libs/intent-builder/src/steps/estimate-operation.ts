import { BundlerRejection, type UserOperationGas } from '@yield-vault/chains';
import type { UserOperation } from '@yield-vault/protocol';
import { encodeAccountCall, stubIntentSignature } from '@yield-vault/smart-account';
import type { Paymaster, PaymasterStub, PaymasterTerms } from '../paymasters/paymaster.js';
import type { IntentBuilderOptions, Order, Plan, Snapshot } from '../types.js';
import { explainRejection } from './explain-rejection.js';
import { intentWindow, type IntentWindow } from './intent-window.js';
import { planHooks } from './plan-hooks.js';
import type { Quotes } from './quotes-of.js';
import { raise } from './raise.js';

/** An operation with everything but what the paymaster signs and the wallet signs. */
export interface EstimatedOperation {
  readonly operation: UserOperation;
  readonly plan: Plan;
  /** What the paymaster wanted it to be estimated with. */
  readonly stub: PaymasterStub;
  /** What the bundler asked for, without our margins. */
  readonly bareGas: UserOperationGas;
  readonly window: IntentWindow;
}

// Vaults accrue, and slots turn cold, between the estimate and the inclusion.
const marginsPercent = { call: 130n, verification: 115n, preVerification: 105n } as const;
// The fee is only charged as it is at inclusion; until then the base fee may rise, by an eighth a block.
const feeHeadroomPercent = 125n;

/**
 * Let the bundler estimate the operation. The estimate runs it as it will be signed, so that it also tells whether the
 * vault takes it.
 *
 * @param nowMs - milliseconds since 1970
 * @throws {VaultAtCapacityError | PreflightSimulationError | InsufficientBalanceError | TransactionSubmissionError}
 * @throws {UpstreamUnavailableError} when the bundler or the paymaster does not answer, or the paymaster's price has
 * run out
 */
export async function estimateOperation(
  order: Order,
  snapshot: Snapshot,
  quotes: Quotes,
  paymaster: Paymaster,
  options: IntentBuilderOptions,
  nowMs: number,
): Promise<EstimatedOperation> {
  const { chain, wallet } = order;
  const { executor } = chain.contracts;
  const window = intentWindow(chain, snapshot.paymaster.validUntil, options, nowMs);
  const seconds = window.expiry - Math.floor(nowMs / 1000);
  const plan = planHooks(order, snapshot, quotes, seconds, options);

  const draft: UserOperation = {
    sender: wallet,
    nonce: snapshot.nonce,
    callData: encodeAccountCall(executor, plan.hooks),
    callGasLimit: 0n,
    verificationGasLimit: 0n,
    preVerificationGas: 0n,
    maxFeePerGas: raise(snapshot.gasPrice.maxFeePerGas, feeHeadroomPercent),
    maxPriorityFeePerGas: snapshot.gasPrice.maxPriorityFeePerGas,
    paymasterVerificationGasLimit: 0n,
    // Circle refuses less, while it is estimated too.
    paymasterPostOpGasLimit: snapshot.paymaster.smallestPostOpGas,
    signature: stubIntentSignature(window.expiry, window.validAfter),
  };
  const explain = (error: unknown) => {
    throw error instanceof BundlerRejection ? explainRejection(error, order, snapshot) : error;
  };
  const stub = await paymaster.stub(draft);
  const bareGas = await snapshot.bundler.estimate({ ...draft, ...stub.fields }).catch(explain);
  const operation = {
    ...draft,
    ...withMargins(bareGas, snapshot.paymaster),
    ...stub.fields,
    signature: '0x' as const,
  };
  return { operation, plan, stub, bareGas, window };
}

function withMargins(gas: UserOperationGas, { smallestPostOpGas }: PaymasterTerms): UserOperationGas {
  const postOp = raise(gas.paymasterPostOpGasLimit, marginsPercent.verification);
  return {
    callGasLimit: raise(gas.callGasLimit, marginsPercent.call),
    verificationGasLimit: raise(gas.verificationGasLimit, marginsPercent.verification),
    preVerificationGas: raise(gas.preVerificationGas, marginsPercent.preVerification),
    paymasterVerificationGasLimit: raise(gas.paymasterVerificationGasLimit, marginsPercent.verification),
    paymasterPostOpGasLimit: postOp > smallestPostOpGas ? postOp : smallestPostOpGas,
  };
}
