import type { ErrorCode } from '@yield-vault/protocol';
import type { Answer } from './start-service.js';

/** Check that a response is the one error body with this status and code; returns its details. */
export function expectError(
  { status, json, headers }: Answer,
  expected: number,
  code: ErrorCode,
): Record<string, unknown> {
  expect({ status, statusCode: json['statusCode'], code: json['code'] }).toEqual({
    status: expected,
    statusCode: expected,
    code,
  });
  expect(headers.get('x-request-id')).toBe(json['requestId']);
  expect(headers.get('retry-after') !== null).toBe(expected === 503);
  return json['details'] as Record<string, unknown>;
}
