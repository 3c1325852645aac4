import { UpstreamFailure } from '@yield-vault/chains';
import { AbiDecodingDataSizeTooSmallError, BaseError, RpcRequestError } from 'viem';
import { asOutage } from './as-outage.js';

const answered = (error: { code: number; message: string; data?: unknown }) =>
  new BaseError('call failed', {
    cause: new RpcRequestError({ body: {}, url: 'https://rpc.example.com/key', error }),
  });

describe('asOutage', () => {
  it.each([
    ['a node that is down', new UpstreamFailure('rpc:base', 'timed out')],
    ['a node without the block', answered({ code: -32000, message: 'header not found' })],
    ['a method that is not served', answered({ code: -32601, message: 'method not found' })],
    ['an exhausted plan', answered({ code: -32005, message: 'limit exceeded' })],
  ])('behavior: %s', (_, error) => {
    const outage = asOutage(error, 'rpc:base');
    expect(outage).toMatchObject({ code: 'UPSTREAM_UNAVAILABLE', details: { dependency: 'rpc:base' } });
    expect(outage?.detail).not.toContain('example.com');
  });

  it.each([
    ['a revert', answered({ code: 3, message: 'execution reverted: FiatTokenV2', data: '0x08c379a0' })],
    ['a revert without data', answered({ code: -32000, message: 'execution reverted' })],
    [
      'a revert in other words',
      answered({ code: -32015, message: 'VM execution error.', data: 'Reverted 0x' }),
    ],
    ['a contract that burns gas', answered({ code: -32000, message: 'out of gas' })],
    [
      'a contract that answers with too little',
      new AbiDecodingDataSizeTooSmallError({ data: '0x', params: [], size: 0 }),
    ],
    ['a mistake', new TypeError('no')],
    ['nothing', undefined],
  ])('behavior: %s is none', (_, error) => {
    expect(asOutage(error, 'rpc:base')).toBeUndefined();
  });
});
