import { ApiError, IntentPendingError } from '../errors.js';
import type { AgentClient } from '../http/create-agent-client.js';
import type { ExecuteRequest, ExecuteResponse } from '../types.js';

/**
 * Have a signed intent executed.
 *
 * @throws {ApiError} When it is refused for good.
 * @throws {IntentPendingError} When it is not known what became of it.
 */
export async function submitIntent(client: AgentClient, request: ExecuteRequest): Promise<ExecuteResponse> {
  try {
    return await client.execute(request);
  } catch (error) {
    if (error instanceof ApiError && !error.retryable) throw error;
    throw new IntentPendingError(request, request.intentEnvelope.expiry, error);
  }
}
