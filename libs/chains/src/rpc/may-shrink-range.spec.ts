import { RpcRequestError, UnknownRpcError } from 'viem';
import { mayShrinkRange } from './may-shrink-range.js';
import { UpstreamFailure } from './upstream-failure.js';

const refused = (code: number, message: string) =>
  new UnknownRpcError(new RpcRequestError({ body: {}, url: 'http://node', error: { code, message } }));

describe('mayShrinkRange', () => {
  it.each([
    refused(-32602, 'block range too large'),
    refused(-32000, 'query returned more than 10000 results'),
    new UpstreamFailure('rpc:base', 'timed out'),
    new UpstreamFailure('rpc:base', 'rate limit exceeded'),
    new UpstreamFailure('rpc:base', 'HTTP status 413'),
  ])('behavior: yes for %s', (error) => expect(mayShrinkRange(error)).toBe(true));

  it.each([
    new UpstreamFailure('rpc:base', 'connection failed (ECONNREFUSED)'),
    new UpstreamFailure('rpc:base', 'failed too often and is given a pause'),
    new UpstreamFailure('rpc:base', 'HTTP status 401'),
    new TypeError('no error of a node'),
  ])('behavior: no for %s', (error) => expect(mayShrinkRange(error)).toBe(false));
});
