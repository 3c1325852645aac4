import { asTenderlyError } from './as-tenderly-error.js';

const rpc = (code: number) => ({ jsonrpc: '2.0', id: 1, error: { code, message: 'of account acme' } });
const rest = (slug: string, message: string) => ({ error: { id: '596b1dc7', slug, message } });

describe('asTenderlyError', () => {
  it.each([
    [429, rpc(-32005), 'FORK_NOT_RUNNING', true, 5],
    [429, undefined, 'FORK_NOT_RUNNING', true, 5],
    [200, rpc(-32005), 'FORK_NOT_RUNNING', true, 5],
    [403, rpc(-32004), 'FORK_CAPACITY', true, 60],
    [200, rpc(-32004), 'FORK_CAPACITY', true, 60],
    [402, undefined, 'FORK_CAPACITY', true, 60],
    [403, rest('forbidden', 'Upgrade your plan'), 'FORK_CAPACITY', true, 60],
    [403, rest('quota_limit', ''), 'FORK_CAPACITY', true, 60],
    [403, rest('forbidden', 'Forbidden'), 'FORK_NOT_RUNNING', false, undefined],
    [401, undefined, 'FORK_NOT_RUNNING', false, undefined],
    [400, rest('bad_request', 'Bad request input parameters'), 'FORK_NOT_RUNNING', true, 5],
    [502, undefined, 'FORK_NOT_RUNNING', true, 5],
    [200, { hello: 'world' }, 'FORK_NOT_RUNNING', true, 5],
    [500, { error: 'of account acme' }, 'FORK_NOT_RUNNING', true, 5],
  ])('default: HTTP %i with %j is %s', (status, body, code, retryable, retryAfterSeconds) => {
    const error = asTenderlyError({ status, body });
    expect(error).toMatchObject({ code, retryable, retryAfterSeconds, details: { dependency: 'tenderly' } });
    expect(error.detail).not.toContain('acme');
  });

  it('behavior: passes on how long to wait', () => {
    for (const status of [429, 402, 503]) {
      expect(asTenderlyError({ status, body: {}, retryAfterSeconds: 9 }).retryAfterSeconds).toBe(9);
    }
  });
});
