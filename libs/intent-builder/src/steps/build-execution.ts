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
import type { IntentBuilderOptions, Order, Snapshot } from '../types.js';
import type { EstimatedOperation } from './estimate-operation.js';
import { gasBudget, usdcDecimals } from './gas-budget.js';
import { sharesOf } from './shares-of.js';

/** Seal an estimated operation into the envelope that is signed, with what it costs and brings. */
export function buildExecution(
  order: Order,
  snapshot: Snapshot,
  estimated: EstimatedOperation,
  { maxSlippageBps }: Pick<IntentBuilderOptions, 'maxSlippageBps'>,
): Pick<PrepareExecutionResponse, 'intentId' | 'needsSetup' | 'execution'> {
  const { operation, plan, bareGas } = estimated;
  const intentEnvelope = sealEnvelope(order, estimated);
  const maxAmount = gasBudget(snapshot.paymaster, operation);
  const expectedAmount = snapshot.paymaster.charge({
    gas: totalGasLimit({ ...operation, ...bareGas }),
    feePerGas: snapshot.gasPrice.maxFeePerGas,
    postOpGasLimit: 0n,
    callGasLimit: 0n,
  });
  return {
    intentId: intentEnvelope.merkleRoot,
    needsSetup: false,
    execution: {
      intentEnvelope,
      to: order.chain.entryPoint,
      calldata: operation.callData,
      estimatedGas: totalGasLimit(operation).toString(),
      slippage: { maxSlippageBps, minOut: plan.minOut.toString(), quotedOut: plan.quotedOut.toString() },
      gasQuote: {
        token: order.chain.usdc,
        maxAmount: maxAmount.toString(),
        expectedAmount: (expectedAmount < maxAmount ? expectedAmount : maxAmount).toString(),
      },
      summary: summarise(order, snapshot, plan.minOut, maxAmount),
    },
  };
}

function sealEnvelope({ chain, wallet }: Order, estimated: EstimatedOperation): PreparedIntentEnvelope {
  const { chainId, entryPoint } = chain;
  const { validator } = chain.contracts;
  const { operation, window } = estimated;
  const { expiry, validAfter } = window;
  const userOpHash = userOperationHash(operation, entryPoint, chainId);
  const { root, proofs } = buildIntentTree([{ userOpHash, expiry, validAfter, validator }]);
  return {
    version: '1',
    intentId: root,
    chainId,
    entryPoint,
    sender: wallet,
    userOps: [{ userOperation: toWireUserOperation(operation) }],
    destinationExecutions: [],
    expiry,
    validAfter,
    merkleRoot: root,
    proofs,
    signing: intentSigning({ merkleRoot: root, chainId, expiry, validAfter, validator }),
  };
}

function summarise(order: Order, snapshot: Snapshot, minOut: bigint, maxGas: bigint): string {
  const { chain, vault, instruction } = order;
  const { symbol, decimals } = vault.asset;
  const gas =
    maxGas > 0n
      ? `Gas is paid in USDC, at most ${formatAmount(maxGas, usdcDecimals)}.`
      : 'Gas is paid by the service.';
  if (instruction.operation === 'deposit') {
    const shares = formatAmount(minOut, vault.shareDecimals);
    const assets = formatAmount(instruction.assets, decimals);
    return `Deposits ${assets} ${symbol} into ${vault.name} on ${chain.name} for at least ${shares} shares. ${gas}`;
  }
  const redeemed = formatAmount(sharesOf(order, snapshot.shareBalance), vault.shareDecimals);
  if (instruction.operation === 'redeem') {
    const assets = formatAmount(minOut, decimals);
    return `Redeems ${redeemed} shares of ${vault.name} on ${chain.name} for at least ${assets} ${symbol}. ${gas}`;
  }
  const shares = formatAmount(minOut, instruction.target.shareDecimals);
  return `Moves all ${redeemed} shares of ${vault.name} on ${chain.name} into ${instruction.target.name} for at least ${shares} of its shares. ${gas}`;
}
