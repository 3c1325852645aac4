import {
  accepted,
  describeEnvelope,
  IntentPendingError,
  isRefusal,
  narrowToTarget,
  prepareFields,
  type Execution,
  type PrepareSetupResponse,
} from '@yield-vault/agent-client';
import { vaultIdOf } from '@yield-vault/protocol';
import type { Hex } from 'viem';
import { z } from 'zod';
import { addTool, type ToolContext } from './add-tool.js';
import { chainIdOf, operationInput, toRequest, type OperationInput } from './operation.js';
import { longestText, quoted } from './plain-text.js';
import type { Settings } from './settings.js';
import type { Outcome } from './tool-result.js';
import { verifyOperation, verifySetupOf } from './verify-operation.js';

const intentEnvelope = z.looseObject({}).describe('The intent envelope as prepare returned it, unchanged.');
const intentSignature = z.string().regex(/^0x([0-9a-fA-F]{2})+$/, 'is not 0x and whole bytes of hex');

/** Add the tools of a wallet whose key is elsewhere. */
export function addIntentTools(context: ToolContext): void {
  const { server, client, settings } = context;

  addTool(server, {
    name: 'prepare',
    description:
      'Build a deposit, redeem or rebalance for a wallet whose key you hold, and verify it. Sign `signing` (EIP-712), then call execute. A new wallet gets its setup transaction first.',
    input: operationInput,
    run: (input) => prepare(context, input),
  });

  addTool(server, {
    name: 'verify',
    description: 'Verify an intent envelope against your request before you sign it. Nothing is sent.',
    input: { ...operationInput, intentEnvelope },
    run: async ({ intentEnvelope: envelope, ...input }) => {
      const { verified, unchecked } = await verifyOperation(settings, input, toRequest(input), envelope);
      const { summary, signing, merkleRoot: intentId } = verified;
      const text = ['It matches the request. Signing it does this:', ...summary, ...unchecked].join('\n');
      return { text, data: { ok: true, intentId, signing, summary, unchecked } };
    },
  });

  addTool(server, {
    name: 'execute',
    description:
      'Relay a signed intent. The same call again is safe: the chain includes an intent once. After TRANSACTION_PENDING or a timeout, call intent_status.',
    input: { intentEnvelope, intentSignature },
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
    run: async (input) => {
      const { envelope } = accepted(describeEnvelope(input.intentEnvelope, settings));
      const request = { intentEnvelope: envelope, intentSignature: input.intentSignature as Hex };
      try {
        return executed(await client.execute(request));
      } catch (error) {
        if (isRefusal(error)) throw error;
        throw new IntentPendingError(request, envelope.expiry, error);
      }
    },
  });
}

async function prepare({ client, settings }: ToolContext, input: OperationInput): Promise<Outcome> {
  const request = toRequest(input);
  const { chain, wallet } = input;
  const chainId = chainIdOf(settings.addressBook, chain);
  const place = { chain, agentAddress: wallet, vaultId: vaultIdOf(chainId, request.vault) };
  const prepared = await client.prepare({ ...prepareFields(request, chainId), ...place });
  if (prepared.needsSetup) return setupOf(settings, input, prepared);
  const { intentEnvelope: given, costs, warnings } = prepared.execution;
  const narrowed = narrowToTarget(request, chainId, prepared);
  const { verified, unchecked } = await verifyOperation(settings, input, narrowed, given);
  const { summary, signing, merkleRoot: intentId, envelope } = verified;
  const gas = `Gas: ${costs.gasUsd} USD now, ${costs.exitGasUsd} USD to redeem later.`;
  const warned = warnings.map(
    ({ code, message }) => `Warning of the service: ${quoted(code)} ${quoted(message, longestText)}`,
  );
  const next = 'Sign `signing` as EIP-712 typed data, then call execute with the envelope and the signature.';
  return {
    text: ['Verified. Signing it does this:', ...summary, ...unchecked, gas, ...warned, next].join('\n'),
    data: {
      needsSetup: false,
      intentId,
      intentEnvelope: envelope,
      signing,
      summary,
      unchecked,
      costs,
      warnings,
    },
  };
}

/** Return a verified setup. The tools relay none: that is one call of the REST API. */
async function setupOf(
  settings: Settings,
  input: OperationInput,
  prepared: PrepareSetupResponse,
): Promise<Outcome> {
  const { verified, unchecked } = await verifySetupOf(settings, input, prepared);
  const { setupType, setupTicket, summary, transaction: unsigned } = verified;
  const transaction = {
    ...unsigned,
    gasLimit: String(unsigned.gasLimit),
    maxFeePerGas: String(unsigned.maxFeePerGas),
    maxPriorityFeePerGas: String(unsigned.maxPriorityFeePerGas),
  };
  const next =
    'Sign the transaction, send { setupTicket, signedRawTx } to POST /v1/yield/setup-relay of the service, then call prepare again.';
  const lines = ['The wallet needs a setup first. Signing it does this:', ...summary, ...unchecked, next];
  return {
    text: lines.join('\n'),
    data: {
      needsSetup: true,
      setupType,
      setupTicket,
      transaction,
      summary,
      unchecked,
      costs: prepared.costs,
    },
  };
}

/** Describe an execution. */
export function executed(execution: Execution, more: object = {}): Outcome {
  const { result, txHash, positionUpdate } = execution;
  const change = positionUpdate ? ` The position changed by ${positionUpdate.assetsDelta}.` : '';
  return { text: `${quoted(result)} in transaction ${txHash}.${change}`, data: { ...more, ...execution } };
}
