import type { ErrorCode } from '@yield-vault/protocol';
import type { ErrorResponse } from '@yield-vault/protocol';
import type { Response } from 'light-my-request';

/** Check that a response is the one error body with this status and code; returns it. */
export function expectError(response: Response, statusCode: number, code: ErrorCode): ErrorResponse {
  const body = response.json<ErrorResponse>();
  expect({ status: response.statusCode, code: body.code, statusCode: body.statusCode }).toEqual({
    status: statusCode,
    code,
    statusCode,
  });
  expect(Object.keys(body)).toEqual([
    'statusCode',
    'error',
    'code',
    'detail',
    'retryable',
    'nextAction',
    'details',
    'requestId',
  ]);
  expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
  expect(response.headers['x-request-id']).toBe(body.requestId);
  return body;
}

/** Check that a request was refused, and for which fields. */
export function expectViolations(response: Response, fields: readonly string[]): void {
  const { details } = expectError(response, 400, 'INVALID_PARAMETERS');
  const violations = details['violations'] as unknown as { field: string; message: string }[];
  expect(violations.map(({ field }) => field).sort()).toEqual([...fields].sort());
  for (const { message } of violations) expect(message).not.toBe('');
}

export const expectOk = ({ statusCode }: Response) => expect(statusCode).toBe(200);
