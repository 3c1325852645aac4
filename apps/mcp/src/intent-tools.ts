import {
  accepted,
  describeEnvelope,
  IntentPendingError,
  isRefusal,
  narrowToTarget,
  prepareFields,
  type EnvelopeExpectations,
  type Execution,
  type OperationRequest,
  type PrepareExecutionResponse,
  type PrepareSetupResponse,
} from '@yield-vault/agent-client';
import * as shapes from '@yield-vault/agent-client/shapes';
import { digitsPattern, vaultIdOf } from '@yield-vault/protocol';
import type { Address, Hex } from 'viem';
import { z } from 'zod';
import { addTool, type ToolContext } from './add-tool.js';
import {
  amount,
  asset,
  chain,
  chainIdOf,
  operationInput,
  toRequest,
  vault,
  wallet,
  type OperationInput,
} from './operation.js';
import { longestText, quoted } from './plain-text.js';
import type { Settings } from './settings.js';
import type { Outcome } from './tool-result.js';
import { verifyGaslessOf, verifyOperation, verifySetupOf, type Place } from './verify-operation.js';

const intentEnvelope = z.looseObject({}).describe('The intent envelope as prepare returned it, unchanged.');
const signature = z.string().regex(/^0x([0-9a-fA-F]{2})+$/, 'is not 0x and whole bytes of hex');

const signing = z.looseObject({}).describe('EIP-712 typed data, to sign.');
const lines = z.array(z.string());
const checked = { summary: lines, unchecked: lines };
const { intentId } = shapes.prepareExecutionResponse.shape;
const { costs, warnings } = shapes.execution.shape;
const verifiedShape = z.looseObject({ intentId, signing, ...checked });
const signableShape = verifiedShape.extend({ intentEnvelope, costs, warnings });
const preparedShape = signableShape.partial().extend({
  ...shapes.servedSetup.pick({ setupType: true, setupTicket: true, gaslessSetup: true }).partial().shape,
  transaction: z.looseObject({}).optional(),
  costs: costs.nullable(),
  needsSetup: z.boolean(),
  ...checked,
});

/** The shape of an execution, which may be found on chain, with what the key signed. */
export const executedShape = shapes.executeResponse
  .partial({ executionModel: true, explorerUrl: true, positionUpdate: true })
  .extend({ intentId: intentId.optional(), summary: lines.optional(), setupTxHash: z.string().optional() });

/** Add the tools of a wallet whose key is elsewhere. */
export function addIntentTools(context: ToolContext): void {
  const { server, client, settings } = context;

  addTool(server, {
    name: 'prepare',
    description:
      'Build a deposit, redeem or rebalance for a wallet whose key you hold, and verify it. Sign `signing` (EIP-712), then call execute. A new wallet gets its setup transaction first.',
    input: operationInput,
    output: preparedShape,
    run: (input) => prepare(context, input),
  });

  addTool(server, {
    name: 'gasless_setup',
    description:
      'Set a new wallet up within its first deposit, without ether: give the signatures of `gaslessSetup` of prepare. Sign `signing` of the result, then call execute.',
    input: {
      ...{ wallet, chain, vault, asset, amount },
      authorization: shapes.eip7702Auth.optional().describe('The signed authorization of prepare.'),
      permitSignature: signature.optional(),
      permitNonce: z
        .string()
        .regex(digitsPattern)
        .transform(BigInt)
        .optional()
        .describe('`message.nonce` of the signed permit.'),
    },
    output: signableShape,
    run: async ({ authorization, permitSignature, permitNonce, ...place }) => {
      const order = { asset: place.asset, amount: place.amount };
      const prepared = await client.gaslessSetup({
        ...order,
        ...placeOf(settings, place),
        authorization,
        permitSignature: permitSignature as Hex | undefined,
      });
      const nonces = { authorizationNonce: authorization?.nonce, permitNonce };
      const request = { operation: 'deposit', vault: place.vault, ...order } as const;
      return signable(settings, place, request, prepared, nonces);
    },
  });

  addTool(server, {
    name: 'verify',
    description: 'Verify an intent envelope against your request before you sign it. Nothing is sent.',
    input: { ...operationInput, intentEnvelope },
    output: verifiedShape.extend({ ok: z.literal(true) }),
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
    input: { intentEnvelope, intentSignature: signature },
    output: executedShape,
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
    run: async (input) => {
      const { envelope, summary } = accepted(describeEnvelope(input.intentEnvelope, settings));
      const request = { intentEnvelope: envelope, intentSignature: input.intentSignature as Hex };
      try {
        return executed(await client.execute(request), { intentId: envelope.merkleRoot, summary });
      } catch (error) {
        if (isRefusal(error)) throw error;
        throw new IntentPendingError(request, envelope.expiry, error);
      }
    },
  });
}

async function prepare({ client, settings }: ToolContext, input: OperationInput): Promise<Outcome> {
  const request = toRequest(input);
  const chainId = chainIdOf(settings.addressBook, input.chain);
  const prepared = await client.prepare({ ...prepareFields(request, chainId), ...placeOf(settings, input) });
  if (prepared.needsSetup) return setupOf(settings, input, prepared);
  return signable(settings, input, narrowToTarget(request, chainId, prepared), prepared);
}

/** Write the place of an operation as the service takes it. */
function placeOf({ addressBook }: Settings, { wallet, chain, vault }: Place & { readonly vault: Address }) {
  return { chain, agentAddress: wallet, vaultId: vaultIdOf(chainIdOf(addressBook, chain), vault) };
}

/** Return a verified envelope to sign. */
async function signable(
  settings: Settings,
  place: Place,
  request: OperationRequest,
  { execution }: PrepareExecutionResponse,
  gaslessSetup?: EnvelopeExpectations['gaslessSetup'],
): Promise<Outcome> {
  const { intentEnvelope: given, costs, warnings } = execution;
  const { verified, unchecked } = await verifyOperation(settings, place, request, given, gaslessSetup);
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

/** Return a verified setup. The tools relay no transaction: that is one call of the REST API. */
async function setupOf(
  settings: Settings,
  input: OperationInput,
  prepared: PrepareSetupResponse,
): Promise<Outcome> {
  const { verified, unchecked } = await verifySetupOf(settings, input, prepared);
  const gasless = prepared.gaslessSetup && (await verifyGaslessOf(settings, input, prepared));
  const { setupType, setupTicket, transaction, summary } = verified;
  const { authorization, permit } = gasless ?? {};
  const relay =
    'Sign the transaction, send { setupTicket, signedRawTx } to POST /v1/yield/setup-relay of the service, then call prepare again.';
  const alternative = [
    'Without ether, sign gaslessSetup in its place, then call gasless_setup. Signing that does this:',
    ...(gasless?.summary ?? []),
  ];
  const text = ['The wallet needs a setup first. Signing it does this:', ...summary, ...unchecked, relay];
  return {
    text: [...text, ...(gasless ? alternative : [])].join('\n'),
    data: {
      needsSetup: true,
      setupType,
      setupTicket,
      transaction,
      gaslessSetup: gasless && { authorization, permit },
      summary,
      unchecked,
      costs: prepared.costs,
    },
  };
}

/** Describe an execution. `more` is what this process knows itself. */
export function executed(execution: Execution, more: object): Outcome {
  const { result, txHash, positionUpdate } = execution;
  const change = positionUpdate ? ` The position changed by ${positionUpdate.assetsDelta}.` : '';
  return { text: `${quoted(result)} in transaction ${txHash}.${change}`, data: { ...execution, ...more } };
}
