import { UpstreamUnavailableError } from '@yield-vault/protocol';
import { BrokenCircuitError, TaskCancelledError } from 'cockatiel';
import { HttpRequestError, RpcRequestError, TimeoutError } from 'viem';
import { asUpstreamError, isReadRefusal, readFromNode } from './as-upstream-error.js';

const url = 'https://node.example/secret-key';
const body = {};
const respond = (code: number, message: string, data?: unknown) =>
  new RpcRequestError({ body, url, error: { code, message, data } });
const refused = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });

describe('asUpstreamError', () => {
  it.each([
    ['a timeout', new TimeoutError({ body, url })],
    ['a refused connection', new HttpRequestError({ body, url, cause: refused })],
    ['several network errors', new AggregateError([refused])],
    ['HTTP 500', new HttpRequestError({ body, url, status: 500 })],
    ['HTTP 429', new HttpRequestError({ body, url, status: 429 })],
    ['garbage', new HttpRequestError({ body, url, cause: new SyntaxError('<html>') })],
    ['an open circuit', new BrokenCircuitError()],
    ['a passed deadline', new TaskCancelledError()],
    ['a rate limit as JSON-RPC', respond(-32005, 'limit exceeded')],
    ['a proxy without a backend', respond(-32011, 'no backend is currently healthy to serve traffic')],
    ['an internal error of the node', respond(-32603, 'internal error')],
    ['a failed database of Anvil', respond(-32603, 'EVM error FatalExternalError')],
  ])('default: %s, however deep', (_, error) => {
    const found = asUpstreamError(new Error('a', { cause: new Error('b', { cause: error }) }), 'rpc:base');
    expect(found).toBeInstanceOf(UpstreamUnavailableError);
    expect(found?.details).toEqual({ dependency: 'rpc:base' });
    expect(found?.retryAfterSeconds).toBeGreaterThan(0);
    expect(JSON.stringify(found?.detail)).not.toContain('secret-key');
  });

  it('behavior: the error of the interface passes through', () => {
    const known = new UpstreamUnavailableError({ detail: 'x', details: { dependency: 'bundler:base' } });
    expect(asUpstreamError(new Error('a', { cause: known }), 'rpc:base')).toBe(known);
  });

  it.each([
    ['120', 60],
    ['7', 7],
    ['soon', 5],
  ])('behavior: Retry-After %s', (header, seconds) => {
    const headers = new Headers({ 'Retry-After': header });
    const error = new HttpRequestError({ body, url, status: 429, headers });
    expect(asUpstreamError(error, 'rpc:base')?.retryAfterSeconds).toBe(seconds);
  });

  it.each([
    ['a revert', respond(3, 'execution reverted', '0x08c379a0')],
    ['a revert as an internal error', respond(-32603, 'execution reverted')],
    ['a revert known by its data', respond(-32603, 'oops', '0x08c379a0')],
    ['a refusal of a bundler', respond(-32500, 'AA24 signature error')],
    ['an entry point code in an internal error', respond(-32603, 'AA25 invalid account nonce')],
    ['a mistake of ours', new TypeError('x is not a function')],
    ['a missing file', Object.assign(new Error('no such file'), { code: 'NOT_FOUND' })],
    ['a text', 'timed out'],
  ])('behavior: not %s', (_, error) => {
    expect(asUpstreamError(error, 'rpc:base')).toBeUndefined();
  });

  it.each([
    'OutOfGas',
    'MemoryOOG',
    'InvalidOperandOOG',
    'InvalidFEOpcode',
    'StackOverflow',
    'PrecompileError',
  ])('attack: not a contract that ends by %s on Anvil', (halt) => {
    expect(asUpstreamError(respond(-32603, `EVM error ${halt}`), 'rpc:base')).toBeUndefined();
  });
});

describe('readFromNode', () => {
  const failureOf = (error: unknown) =>
    readFromNode({ key: 'base' }, Promise.reject(error)).catch((failure: unknown) => failure);

  it.each([-32000, -32001, -32019, -32602])(
    'error: UpstreamUnavailableError for a refused read: %i',
    async (code) => {
      const failure = await failureOf(new Error('a', { cause: respond(code, 'header not found') }));
      expect(failure).toBeInstanceOf(UpstreamUnavailableError);
      expect(failure).toMatchObject({ details: { dependency: 'rpc:base' }, retryable: true });
      expect(isReadRefusal(failure)).toBe(true);
    },
  );

  it('error: an outage is no refusal, and any other error is unchanged', async () => {
    const outage = await failureOf(new TimeoutError({ body, url }));
    expect(outage).toBeInstanceOf(UpstreamUnavailableError);
    expect(isReadRefusal(outage)).toBe(false);
    const bug = new TypeError('a bug');
    expect(await failureOf(bug)).toBe(bug);
  });
});
