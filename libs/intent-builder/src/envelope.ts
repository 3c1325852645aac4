import {
  buildIntentTree,
  formatAmount,
  intentSigning,
  totalGasLimit,
  toWireUserOperation,
  userOperationHash,
  type PreparedIntentEnvelope,
  type PrepareExecutionResponse,
} from '@yield-vault/protocol';
import { stubIntentSignature } from '@yield-vault/smart-account';
import { gasBudget, usdcDecimals } from './balances.js';
import { paymasterUnavailable } from './errors.js';
import { intentWindow, type EstimatedOperation } from './operation.js';
import { sharesOf } from './request.js';
import type { IntentBuilderOptions } from './intents-schema.js';
import type { CheckedRequest, Paymaster, WalletSnapshot } from './types.js';

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
  const { operation, quoted, bareGas } = estimated;
  const intentEnvelope = buildEnvelope(request, estimated);
  const maxAmount = gasBudget(snapshot.paymaster, operation);
  const expectedAmount = snapshot.paymaster.charge({
    gas: totalGasLimit({ ...operation, ...bareGas }),
    feePerGas: snapshot.gasPrice.maxFeePerGas,
    postOpGasLimit: 0n,
  });
  return {
    intentId: intentEnvelope.merkleRoot,
    needsSetup: false,
    execution: {
      intentEnvelope,
      to: request.chain.entryPoint,
      calldata: operation.callData,
      estimatedGas: totalGasLimit(operation).toString(),
      slippage: { maxSlippageBps, minOut: quoted.minOut.toString(), quotedOut: quoted.quotedOut.toString() },
      gasQuote: {
        token: request.chain.usdc,
        maxAmount: maxAmount.toString(),
        expectedAmount: (expectedAmount < maxAmount ? expectedAmount : maxAmount).toString(),
      },
      summary: summarise(request, snapshot, quoted.minOut, maxAmount),
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
  const { root, proofs } = buildIntentTree([{ userOpHash, expiry, validAfter, validator }]);
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
    proofs,
    signing: intentSigning({ merkleRoot: root, chainId, expiry, validAfter, validator }),
  };
}

function summarise(
  request: CheckedRequest,
  snapshot: WalletSnapshot,
  minOut: bigint,
  maxGas: bigint,
): string {
  const { chain, vault } = request;
  const { symbol, decimals } = vault.asset;
  const gas =
    maxGas > 0n
      ? `Gas is paid in USDC, at most ${formatAmount(maxGas, usdcDecimals)}.`
      : 'Gas is paid by the service.';
  if (request.operation === 'deposit') {
    const shares = formatAmount(minOut, vault.shareDecimals);
    const assets = formatAmount(request.assets, decimals);
    return `Deposits ${assets} ${symbol} into ${vault.name} on ${chain.name} for at least ${shares} shares. ${gas}`;
  }
  const redeemed = formatAmount(sharesOf(request, snapshot.shareBalance), vault.shareDecimals);
  if (request.operation === 'redeem') {
    const assets = formatAmount(minOut, decimals);
    return `Redeems ${redeemed} shares of ${vault.name} on ${chain.name} for at least ${assets} ${symbol}. ${gas}`;
  }
  const shares = formatAmount(minOut, request.target.shareDecimals);
  return `Moves all ${redeemed} shares of ${vault.name} on ${chain.name} into ${request.target.name} for at least ${shares} of its shares. ${gas}`;
}
