import type { CallToolResult } from '@modelcontextprotocol/server';
import {
  ApiError,
  FlowError,
  IntentFailedError,
  IntentPendingError,
  InvalidExpectationsError,
  MalformedResponseError,
  NodeFailedError,
  ServiceUnreachableError,
  SetupPendingError,
  UnknownModulesError,
  VerificationError,
} from '@yield-vault/agent-client';
import { paymentRequiredResponse } from '@yield-vault/agent-client/shapes';
import { hash32Pattern, ServiceError } from '@yield-vault/protocol';
import { formatUnits } from 'viem';
import { z } from 'zod';
import { plain } from './plain-text.js';

/** What a tool returns: a short text for the model, and the data. */
export interface Outcome {
  readonly text: string;
  readonly data: object;
}

/** An error as a tool reports it. */
interface Failure {
  readonly code: string;
  /** What was wrong. */
  readonly detail: string;
  readonly nextAction: string;
  readonly details?: object;
}

/** The tool itself refuses. */
export class ToolError extends Error {
  override readonly name = 'ToolError';

  constructor(
    readonly code: string,
    message: string,
    readonly nextAction: string,
    cause?: unknown,
    readonly details?: object,
  ) {
    super(message, { cause });
  }
}

/** Write the result of a tool. Text of the service is limited here, once for all tools. */
export function succeeded({ text, data }: Outcome): CallToolResult {
  return { content: [{ type: 'text', text }], structuredContent: { ...plain(data) } };
}

const executedIds = z.object({
  txHash: z.string().regex(hash32Pattern).optional().catch(undefined),
  intentId: z.string().regex(hash32Pattern).optional().catch(undefined),
});

/**
 * Write the result of a tool that executed something. Whatever is wrong with the result, the execution stays.
 *
 * @throws {ToolError} `RESULT_UNREADABLE` with `txHash` and `intentId`, when the result does not fit the schema
 */
export function executedResult(outcome: Outcome, outputSchema: z.ZodObject): CallToolResult {
  try {
    const result = succeeded(outcome);
    outputSchema.parse(result.structuredContent);
    return result;
  } catch (error) {
    throw new ToolError(
      'RESULT_UNREADABLE',
      'The operation was executed, and the service described it in an unknown form.',
      'Do not repeat the call: it could be done twice. Check txHash, intent_status of intentId, and positions.',
      error,
      executedIds.parse(outcome.data),
    );
  }
}

/** The vault of a call, which the service knows by another id. */
interface VaultInput {
  readonly chain?: string;
  readonly vault?: string;
}

/**
 * Write an error as a result, so that the model can act on it: in words, then as JSON. It is no structured content, because
 * clients check that against the output schema, and some do so for errors too.
 */
export function failed(error: unknown, input: VaultInput = {}): CallToolResult {
  const failure = plain(failureOf(error, input));
  const { code, detail, nextAction } = failure;
  return {
    isError: true,
    content: [
      { type: 'text', text: `${code}: ${detail}\n${nextAction}` },
      { type: 'text', text: JSON.stringify({ error: failure }) },
    ],
  };
}

const doNotSign =
  'Sign nothing of it. Tell the user that the service returned another document than requested.';
const nextActions: Readonly<Record<string, string>> = {
  UNKNOWN_MODULES: doNotSign,
  NODE_FAILED: 'Check the node of RPC_URL, then call again.',
  SERVICE_UNREACHABLE: 'Check SERVICE_URL, then call again.',
  MALFORMED_RESPONSE: 'Check that SERVICE_URL is the URL of the service.',
  REVERTED: 'It had no effect and may be called again.',
  EXPIRED: 'It had no effect and may be called again.',
  NONCE_USED: 'Check txHash and positions first: that transaction may be an earlier call of this operation.',
};

function failureOf(error: unknown, input: VaultInput): Failure {
  const report = (
    code: string,
    detail: string,
    details?: object,
    nextAction = nextActions[code],
  ): Failure => ({
    code,
    detail,
    nextAction: nextAction ?? 'Nothing was signed.',
    ...(details && { details }),
  });
  if (error instanceof ApiError) return ofService(error, input);
  if (error instanceof ServiceError || error instanceof ToolError) {
    const detail = error instanceof ServiceError ? error.detail : error.message;
    const details = error instanceof ToolError ? error.details : undefined;
    return report(error.code, detail, details, error.nextAction);
  }
  if (error instanceof VerificationError) {
    const { reason, field, detail } = error;
    return report(reason, `${field}: ${detail}`, { field }, doNotSign);
  }
  if (error instanceof IntentPendingError) {
    const intentId = error.request.intentEnvelope.merkleRoot;
    const nextAction =
      'Call intent_status with this intentId, or repeat the same call: it sends nothing twice. Prepare no replacement before expiry.';
    return report('TRANSACTION_PENDING', error.message, { intentId, expiry: error.expiry }, nextAction);
  }
  if (error instanceof SetupPendingError) {
    const nextAction = 'Repeat the same call: the chain includes only one of the setups.';
    return report('SETUP_PENDING', error.message, { txHash: error.txHash }, nextAction);
  }
  if (error instanceof IntentFailedError)
    return report(error.code, error.message, { txHash: error.txHash ?? null });
  if (
    error instanceof FlowError ||
    error instanceof UnknownModulesError ||
    error instanceof NodeFailedError ||
    error instanceof InvalidExpectationsError
  )
    return report(error.code, error.message);
  if (error instanceof ServiceUnreachableError) return report('SERVICE_UNREACHABLE', error.message);
  if (error instanceof MalformedResponseError) return report('MALFORMED_RESPONSE', error.message);
  // It may quote anything, so only the log of the user gets it.
  console.error(error);
  return report('INTERNAL', 'The MCP server failed.', undefined, 'See its log on standard error.');
}

function ofService(error: ApiError, { chain, vault }: VaultInput): Failure {
  const { status, code, detail, message, details, nextAction, retryable, retryAfterSeconds, requestId } =
    error;
  const known = { ...details, status, retryable, retryAfterSeconds, requestId };
  if (vault && (code === 'UNKNOWN_VAULT' || code === 'NOT_FOUND'))
    return {
      code,
      detail: `The service has no vault ${vault} on ${chain}.`,
      nextAction: 'Call discover_vaults, and use a vaultAddress of its response with the same chain.',
      details: { status, retryable, requestId },
    };
  if (status !== 402)
    return { code, detail: detail || message, nextAction: nextActions[code] ?? nextAction, details: known };
  return {
    code,
    detail: `The service charges for this call: ${priceOf(details)}.`,
    nextAction:
      'The user can set PAYER_KEY and MAX_PRICE, so that a stdio server pays. If they are set, the payment was refused, and can still be charged for up to 10 minutes.',
    details: known,
  };
}

const terms = paymentRequiredResponse.pick({ accepts: true });

/** Say the price in a 402, which is paid in USDC. */
export function priceOf(body: unknown): string {
  const [first] = terms.safeParse(body).data?.accepts ?? [];
  return first ? `${formatUnits(BigInt(first.maxAmountRequired), 6)} USDC` : 'an unknown price';
}
