import * as z from 'zod';
import * as wire from '../generated/response-shapes.js';
import { firstProblem } from '../wire-values.js';

/**
 * The shape of each response. Unknown fields pass, and names such as a state or a tier are any text, so that a newer
 * service may add both. `verify` checks the documents to sign.
 */
const shapes = {
  'POST /v1/yield/discover': wire.discoverResponse,
  'GET /v1/yield/chains': wire.chainsResponse,
  'GET /v1/yield/vaults': wire.vaultListResponse,
  'GET /v1/yield/vaults/{vaultId}': wire.vaultReport,
  'GET /v1/yield/vaults/{vaultId}/quote': wire.vaultQuote,
  'GET /v1/yield/vaults/{vaultId}/alternatives': wire.alternativesResponse,
  'POST /v1/yield/prepare': z.discriminatedUnion('needsSetup', [
    wire.servedSetup,
    wire.prepareExecutionResponse,
  ]),
  'POST /v1/yield/gasless-setup': wire.prepareExecutionResponse,
  'GET /v1/yield/calls': wire.callsResponse,
  'POST /v1/yield/execute': wire.executeResponse,
  'GET /v1/yield/intents/{intentId}': wire.intentStatus,
  'GET /v1/yield/intents': wire.intentListResponse,
  'POST /v1/yield/setup-relay': wire.setupRelayResponse,
  'GET /v1/yield/status': wire.statusResponse,
  'POST /v1/yield/status/batch': wire.statusBatchResponse,
  'GET /v1/yield/history': wire.historyResponse,
  'POST /v1/testing/fund-wallet': wire.fundWalletResponse,
  'GET /v1/testing/fork-status': wire.forkStatusResponse,
  'GET /health': wire.health,
} as const satisfies Record<string, z.ZodType>;

/** An endpoint, e.g. `POST /v1/yield/discover`. */
export type Endpoint = keyof typeof shapes;

export const endpoints = Object.keys(shapes) as Endpoint[];

/**
 * Say what is wrong with the body of a response.
 *
 * @returns field and problem, without a value of the body; `undefined` when nothing is wrong
 */
export function problemOf(endpoint: Endpoint, body: unknown): string | undefined {
  const { error } = shapes[endpoint].safeParse(body);
  if (!error) return undefined;
  const { field, detail } = firstProblem(error);
  return `${field || 'the body'}: ${detail}`;
}
