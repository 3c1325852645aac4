import { applyDecorators } from '@nestjs/common';
import { ApiResponse } from '@nestjs/swagger';
import { errorCatalogue, type ErrorCode, type Json } from '@yield-vault/protocol';
import { statusesOf } from '../http/error-status.js';
import { wireSchema } from './wire-schema.js';

const common = {
  post: ['BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', 'RATE_LIMIT_EXCEEDED', 'INTERNAL'],
  get: ['RATE_LIMIT_EXCEEDED', 'INTERNAL'],
  service: ['INTERNAL'],
  operatorPost: [
    'UNAUTHORIZED',
    'BODY_TOO_LARGE',
    'UNSUPPORTED_MEDIA_TYPE',
    'UPSTREAM_UNAVAILABLE',
    'INTERNAL',
  ],
  operator: ['UNAUTHORIZED', 'UPSTREAM_UNAVAILABLE', 'INTERNAL'],
  rpc: ['BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', 'INTERNAL'],
} as const satisfies Record<string, readonly ErrorCode[]>;

/** Examples of the `details` that callers act on. */
const exampleDetails: Partial<Record<ErrorCode, Json>> = {
  INVALID_PARAMETERS: { violations: [{ field: 'chain', message: 'is required' }] },
  CHAIN_NOT_ACTIVE: { supportedChains: ['base', 'ethereum'] },
  SETUP_TICKET_REJECTED: { failedCheck: 'ticket-not-expired' },
  SETUP_TRANSACTION_REJECTED: { failedCheck: 'calldata-hash-match' },
  TRANSACTION_VALIDATION_FAILED: { reason: 'INTENT_EXPIRED' },
  PREFLIGHT_SIMULATION_FAILED: { revertReason: 'INSUFFICIENT_BALANCE' },
  INSUFFICIENT_BALANCE: {
    token: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
    decimals: 6,
    available: '20000000',
    required: '26000000',
    missing: '6000000',
    gas: '1000000',
    maxAmount: '19',
  },
  BODY_TOO_LARGE: { limitBytes: 262_144 },
  RATE_LIMIT_EXCEEDED: { limit: 60, windowSeconds: 60 },
  UPSTREAM_UNAVAILABLE: { dependency: 'rpc:base' },
  TESTING_CAP_EXCEEDED: {
    field: 'ethWei',
    limits: { maxEthWeiPerCall: '20000000000000000', maxUsdcBaseUnitsPerCall: '50000000' },
  },
};

const errorExample = (code: ErrorCode, statusCode: number) => {
  const { error, retryable, nextAction } = errorCatalogue[code];
  return {
    summary: code,
    value: {
      statusCode,
      error,
      code,
      detail: `${error}.`,
      retryable: retryable || (statusCode === 503 && code === 'TRANSACTION_SUBMISSION_FAILED'),
      nextAction,
      details: exampleDetails[code] ?? {},
      requestId: '6f9d6a52-3d0a-4a2e-8f0c-1f1f0c1b7e11',
    },
  };
};

function errorResponse(status: number, codes: readonly ErrorCode[]) {
  if (status === 402) {
    return ApiResponse({
      status,
      schema: wireSchema('PaymentRequired'),
      description:
        'Payment required; only where payments are enforced. Sign one of the accepted terms (x402) and send the same ' +
        'request again with the payment in `PAYMENT-SIGNATURE` or `X-PAYMENT`.',
    });
  }
  const description = codes.map((code) => `${errorCatalogue[code].error} (\`${code}\`)`).join(' · ');
  const examples = Object.fromEntries(codes.map((code) => [code, errorExample(code, status)]));
  return ApiResponse({
    status,
    description,
    content: { 'application/json': { schema: wireSchema('Error'), examples } },
  });
}

/** Document the errors of a route: its own, and the common ones of its kind. */
export function ApiErrors(kind: keyof typeof common, ...own: readonly ErrorCode[]): MethodDecorator {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of [...own, ...common[kind]]) {
    for (const status of statusesOf(code)) byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return applyDecorators(...[...byStatus].map(([status, codes]) => errorResponse(status, codes)));
}
