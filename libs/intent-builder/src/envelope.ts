import {
  formatAmount,
  intentLeafHash,
  intentSigning,
  totalGasLimit,
  toWireUserOperation,
  userOperationHash,
  type PreparedIntentEnvelope,
  type PrepareExecutionResponse,
} from '@yield-vault/protocol';
import { stubIntentSignature } from '@yield-vault/smart-account';
import type { Earning } from '@yield-vault/vault-metrics';
import { gasBudget } from './balances.js';
import { paymasterUnavailable, valueOf } from './errors.js';
import { intentWindow, type EstimatedOperation } from './operation.js';
import { depositVaultOf, isRanked, sharesOf } from './request.js';
import { costsOf, exitGasOf } from './response/costs.js';
import { summarise } from './response/summary.js';
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
  const maxGas = gasBudget(snapshot.paymaster, operation);
  const charge = (gas: bigint) => {
    const feePerGas = snapshot.gasPrice.maxFeePerGas;
    const expected = snapshot.paymaster.charge({ gas, feePerGas, postOpGasLimit: 0n });
    return expected < maxGas ? expected : maxGas;
  };
  const expectedGas = charge(totalGasLimit({ ...operation, ...bareGas }));
  const { shareBalance } = snapshot;
  const isExit = request.operation === 'redeem' && sharesOf(request, shareBalance) === shareBalance;
  const isDelegating = operation.authorization !== undefined;
  const exitGas = isExit ? 0n : charge(exitGasOf(request.operation, bareGas, isDelegating));
  const costs = costsOf(expectedGas, exitGas, earningOf(request, snapshot));
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
        maxAmount: maxGas.toString(),
        expectedAmount: expectedGas.toString(),
      },
      costs,
      summary: summarise(request, snapshot, { minOut: quoted.minOut, costs, maxGas, expectedGas, exitGas }),
    },
  };
}

function earningOf(request: CheckedRequest, { redeemed }: WalletSnapshot): Earning | undefined {
  const vault = depositVaultOf(request);
  if (!vault || !isRanked(vault)) return undefined;
  const isDeposit = request.operation === 'deposit';
  const assets = isDeposit ? request.assets : redeemed ? valueOf(redeemed, request) : 0n;
  return {
    assetsUsd: Number(formatAmount(assets, vault.asset.decimals)) * vault.assetPriceUsd,
    apy: vault.apy.month,
    apyBefore: request.operation === 'rebalance' ? request.vault.apy.month : 0,
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
