import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiClient, ErrorBody } from './api-client.js';

const recoveryMs = 30_000;

/**
 * Send a request again while the service says that it is worth it.
 *
 * @param codes - the errors that are expected on the way; every refusal must be typed and retryable
 */
export async function untilAccepted<Body>(
  api: ApiClient,
  path: string,
  body: object,
  ...codes: readonly string[]
): Promise<Body> {
  const deadline = Date.now() + recoveryMs;
  for (;;) {
    const response = await api.call('POST', path, body);
    if (response.status === 200) return response.body as Body;
    const { code, retryable } = response.body as ErrorBody;
    expect([response.status, retryable, codes]).toEqual([503, true, expect.arrayContaining([code])]);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    if (Date.now() > deadline) throw new Error(`${path} did not recover: ${JSON.stringify(response.body)}`);
    await sleep(100);
  }
}
