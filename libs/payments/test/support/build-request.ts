import type { PaidRequest } from '../../src/types.js';

/** Build a request for a priced resource. */
export function buildRequest(
  headers: Readonly<Record<string, string>> = {},
  parts: Partial<Omit<PaidRequest, 'header'>> = {},
): PaidRequest {
  const named = new Headers(headers);
  return {
    resource: 'prepare',
    method: 'POST',
    path: '/v1/yield/prepare',
    body: Buffer.from('{"amount":"1"}'),
    requestId: 'test-request',
    ...parts,
    header: (name) => named.get(name) ?? undefined,
  };
}

/** A response that can be sold. */
export const response = {
  status: 200,
  contentType: 'application/json; charset=utf-8',
  body: new Uint8Array(Buffer.from('{"intentId":"0x01"}')),
};
