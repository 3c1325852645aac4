import { buildPrepared } from '../../test/support/build-prepared.js';
import { ApiError, IntentPendingError, ServiceUnreachableError } from '../errors.js';
import type { AgentClient } from '../http/create-agent-client.js';
import type { ExecuteResponse } from '../types.js';
import { submitIntent } from './submit-intent.js';

const intentEnvelope = buildPrepared();
const request = { intentEnvelope, intentSignature: '0x12' } as const;
const clientOf = (execute: () => Promise<ExecuteResponse>) =>
  ({ execute }) as Partial<AgentClient> as AgentClient;
const failing = (error: Error) =>
  submitIntent(
    clientOf(() => Promise.reject(error)),
    request,
  );

describe('submitIntent', () => {
  it('default: gives the answer', async () => {
    const answer = { result: 'executed' } as ExecuteResponse;
    expect(
      await submitIntent(
        clientOf(() => Promise.resolve(answer)),
        request,
      ),
    ).toBe(answer);
  });

  it('error: a refusal for good passes through', async () => {
    const refused = new ApiError({
      status: 400,
      error: 'Preflight simulation failed',
      code: 'PREFLIGHT_SIMULATION_FAILED',
    });
    await expect(failing(refused)).rejects.toBe(refused);
  });

  it.each([
    ['nobody answers', new ServiceUnreachableError('connection failed')],
    [
      'it is still pending',
      new ApiError({ status: 503, error: 'x', code: 'TRANSACTION_PENDING', retryable: true }),
    ],
  ])('error: IntentPendingError when %s', async (_, cause) => {
    const failed = failing(cause);
    await expect(failed).rejects.toBeInstanceOf(IntentPendingError);
    await expect(failed).rejects.toMatchObject({ request, expiry: intentEnvelope.expiry, cause });
  });
});
