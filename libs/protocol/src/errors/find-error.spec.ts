import { ExecutionRevertedError, HttpRequestError, RpcRequestError } from 'viem';
import { InternalError } from './errors.js';
import { findError, isNamed, isViemError, walkCauses } from './find-error.js';

const url = 'http://node';
const refused = new RpcRequestError({ body: {}, error: { code: -32000, message: 'refused' }, url });
const wrapped = new Error('outer', { cause: new ExecutionRevertedError({ cause: refused }) });

/** As another copy of viem would throw it. */
class OtherHttpRequestError extends Error {
  override readonly name = 'HttpRequestError';
  readonly shortMessage = 'HTTP request failed.';
  walk = () => this;
}

describe('findError', () => {
  it('default: finds an error of viem in the chain', () => {
    expect(findError(wrapped, 'RpcRequestError')?.code).toBe(-32000);
    expect(findError(wrapped, 'HttpRequestError')).toBeUndefined();
  });

  it('behavior: looks into every error of an AggregateError', () => {
    expect(findError(new AggregateError([1, wrapped]), 'RpcRequestError')).toBe(refused);
  });

  it.each([undefined, 'text', null, { name: 'RpcRequestError' }])('behavior: %p is no error', (thrown) => {
    expect(findError(thrown, 'RpcRequestError')).toBeUndefined();
  });
});

describe('isNamed', () => {
  it('behavior: recognises the class of another copy', () => {
    const other = new OtherHttpRequestError();
    expect(other).not.toBeInstanceOf(HttpRequestError);
    expect(isNamed(other, 'HttpRequestError') && isViemError(other)).toBe(true);
  });

  it('behavior: looks at the outermost error only', () => {
    expect(isNamed(wrapped, 'RpcRequestError')).toBe(false);
  });
});

describe('isViemError', () => {
  it('default: recognises every error of viem, and no other', () => {
    expect([refused, wrapped, new InternalError({ detail: 'x' }), undefined].map(isViemError)).toEqual([
      ...[true, false, false, false],
    ]);
  });
});

describe('walkCauses', () => {
  it('behavior: ends in a circle', () => {
    const first: { cause?: unknown } = {};
    first.cause = { cause: first };
    expect(walkCauses(first)).toHaveLength(2);
  });
});
