import {
  intentLeafHash,
  intentSigning,
  totalGasLimit,
  toWireUserOperation,
  userOperationHash,
  type PreparedIntentEnvelope,
  type PrepareExecutionResponse,
} from '@yield-vault/protocol';
import { stubIntentSignature } from '@yield-vault/smart-account';
import { paymasterUnavailable } from './errors.js';
import { intentWindow, type EstimatedOperation } from './operation.js';
import { costsOf, earningOf, gasFigures } from './response/costs.js';
import { summarise } from './response/summary.js';
import { warningsOf } from './response/warnings.js';
import type { IntentBuilderOptions } from './intents-schema.js';
import type { CheckedRequest, WalletSnapshot } from './types.js';
import type { Paymaster } from './paymasters/types.js';

/**
 * Attach the paymaster's data to an estimated operation. The operation must not change afterwards.
 *
 * @param budget - the maximum cost that the response quotes, in base units of USDC
 * @param nowMs - milliseconds since 1970
 * @throws {UpstreamUnavailableError} when the paymaster rejects it, or accepts it for too short a time
 */
export async function attachPaymasterData(
  { chain }: CheckedRequest,
  estimated: EstimatedOperation,
  budget: bigint,
  paymaster: Paymaster,
  options: IntentBuilderOptions,
  nowMs: number,
): Promise<EstimatedOperation> {
  const { operation, stub, window } = estimated;
  // A service may simulate the operation, which takes a signature of the right form.
  const signature = stubIntentSignature(window.expiry, window.validAfter);
  const approval = await paymaster.data({ ...operation, signature }, stub, budget);
  const { paymasterData, validUntil, validAfter } = approval;
  const expiry = Math.min(intentWindow({ chain }, validUntil, options, nowMs).expiry, window.expiry);
  if (validAfter >= expiry)
    throw paymasterUnavailable(chain, 'The data of the service becomes valid after the intent expires.');
  return {
    ...estimated,
    operation: { ...operation, paymasterData },
    window: { expiry, validAfter: Math.max(validAfter, window.validAfter) },
  };
}

/** Build the execution block: the envelope to sign, with its cost and its result. */
export function buildExecution(
  request: CheckedRequest,
  snapshot: WalletSnapshot,
  estimated: EstimatedOperation,
  { maxSlippageBps }: Pick<IntentBuilderOptions, 'maxSlippageBps'>,
): Pick<PrepareExecutionResponse, 'intentId' | 'needsSetup' | 'execution'> {
  const { operation, quoted } = estimated;
  const intentEnvelope = buildEnvelope(request, estimated);
  const gas = gasFigures(request, snapshot, estimated);
  const earning = earningOf(request, snapshot);
  const costs = costsOf(gas, earning);
  const { minOut, quotedOut } = quoted;
  const warnings = warningsOf(request, snapshot, gas, minOut, earning);
  return {
    intentId: intentEnvelope.merkleRoot,
    needsSetup: false,
    execution: {
      intentEnvelope,
      to: request.chain.entryPoint,
      calldata: operation.callData,
      estimatedGas: totalGasLimit(operation).toString(),
      slippage: { maxSlippageBps, minOut: minOut.toString(), quotedOut: quotedOut.toString() },
      gasQuote: {
        token: request.chain.usdc,
        maxAmount: gas.most.toString(),
        expectedAmount: gas.expected.toString(),
      },
      costs,
      warnings,
      summary: summarise(request, snapshot, { minOut, costs, gas, warnings }),
    },
  };
}

function buildEnvelope(
  { chain, wallet }: CheckedRequest,
  { operation, window }: EstimatedOperation,
): PreparedIntentEnvelope {
  const { chainId, entryPoint } = chain;
  const { account, validator } = chain.contracts;
  const { expiry, validAfter } = window;
  const userOpHash = userOperationHash(operation, entryPoint, chainId, account);
  const { authorization } = operation;
  const root = intentLeafHash({ userOpHash, expiry, validAfter, validator });
  return {
    version: '1',
    intentId: root,
    chainId,
    entryPoint,
    sender: wallet,
    userOps: [
      {
        userOperation: toWireUserOperation(operation),
        ...(authorization && { eip7702Auth: authorization }),
      },
    ],
    destinationExecutions: [],
    expiry,
    validAfter,
    merkleRoot: root,
    proofs: [[]],
    signing: intentSigning({ merkleRoot: root, chainId, expiry, validAfter, validator }),
  };
}
