import type { ExecuteRequest, ExecuteResponse, IntentEnvelope } from '@yield-vault/protocol';
import { accepted } from '../../src/verify/result.js';
import { describeEnvelope } from '../../src/verify/verify-envelope.js';
import { addressBook } from './book.js';
import { sampleResponses } from './sample-responses.js';

/** Build the response of execute to an intent. */
export function buildExecution(intentEnvelope: IntentEnvelope): ExecuteResponse {
  const { userOpHash, deployment } = accepted(describeEnvelope(intentEnvelope, { addressBook }));
  const [sample] = sampleResponses('POST /v1/yield/execute') as [ExecuteResponse];
  return { ...sample, userOpHash, chainId: deployment.chainId, chain: deployment.chain };
}

/** Imitate a service that executes every intent. */
export const fakeExecute = () =>
  jest.fn((request: ExecuteRequest) => Promise.resolve(buildExecution(request.intentEnvelope)));
