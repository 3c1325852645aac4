import { UpstreamFailure } from '@yield-vault/chains';
import { UpstreamUnavailableError } from '@yield-vault/protocol';
import { testAccount } from '@yield-vault/testing';
import {
  AbiDecodingDataSizeTooSmallError,
  BaseError,
  erc20Abi,
  ExecutionRevertedError,
  RpcRequestError,
  zeroAddress,
} from 'viem';
import { buildChain } from '../../test/support/build-chain.js';
import type { PaymentChain } from '../types.js';
import { asOutage, guardSigner } from './guard-signer.js';

const down = () => Promise.reject(new UpstreamFailure('rpc:base', 'timed out'));
const guard = (rpc: object, deadlineMs = Date.now()) =>
  guardSigner(buildChain({ rpc: rpc as PaymentChain['rpc'] }), testAccount('relayer'), deadlineMs);
const read = { address: zeroAddress, abi: [], functionName: 'name' };

describe('guardSigner', () => {
  it('behavior: code that cannot be read is absent, not a rejection, and the outage is recorded', async () => {
    const { signer, outage } = guard({ getCode: down });
    expect(await signer.getCode({ address: zeroAddress })).toBeUndefined();
    expect(outage()).toBeInstanceOf(UpstreamUnavailableError);
  });

  it('behavior: after an outage no request is sent, and no transfer', async () => {
    let requests = 0;
    const fail = () => (requests++, down());
    const { signer } = guard({ readContract: fail, getCode: fail, getTransactionCount: fail });
    await expect(signer.readContract(read)).rejects.toBeInstanceOf(UpstreamFailure);
    await expect(signer.readContract(read)).rejects.toBeInstanceOf(UpstreamUnavailableError);
    expect(await signer.getCode({ address: zeroAddress })).toBeUndefined();
    const transfer = { address: zeroAddress, abi: erc20Abi, functionName: 'decimals', args: [] };
    await expect(signer.writeContract(transfer)).rejects.toBeInstanceOf(UpstreamUnavailableError);
    expect(requests).toBe(1);
  });

  it('behavior: a revert is a result, not an outage', async () => {
    const { signer, outage } = guard({ readContract: () => Promise.reject(new ExecutionRevertedError()) });
    await expect(signer.readContract(read)).rejects.toBeInstanceOf(ExecutionRevertedError);
    expect(outage()).toBeUndefined();
  });

  it('behavior: a receipt is awaited through failures of the node', async () => {
    const receipt = { transactionHash: '0x01', status: 'reverted' };
    let failures = 2;
    const { signer } = guard(
      { getTransactionReceipt: () => (failures-- > 0 ? down() : Promise.resolve(receipt)) },
      Date.now() + 5_000,
    );
    expect(await signer.waitForTransactionReceipt({ hash: '0x01' })).toBe(receipt);
  });

  it('error: no receipt before the deadline', async () => {
    const { signer, outage } = guard({ getTransactionReceipt: down });
    await expect(signer.waitForTransactionReceipt({ hash: '0x01' })).rejects.toThrow();
    expect(outage()).toBeUndefined();
  });

  it('error: only transfers of the token are sent', async () => {
    await expect(guard({}).signer.sendTransaction({ to: zeroAddress, data: '0x' })).rejects.toThrow();
  });
});

const respond = (error: { code: number; message: string; data?: unknown }) =>
  new BaseError('call failed', {
    cause: new RpcRequestError({ body: {}, url: 'https://rpc.example.com/key', error }),
  });

describe('asOutage', () => {
  it.each([
    ['a node that is down', new UpstreamFailure('rpc:base', 'timed out')],
    ['a node without the block', respond({ code: -32000, message: 'header not found' })],
    ['a method that is not served', respond({ code: -32601, message: 'method not found' })],
    ['an exhausted plan', respond({ code: -32005, message: 'limit exceeded' })],
  ])('behavior: %s', (_, error) => {
    const outage = asOutage(error, 'rpc:base');
    expect(outage).toMatchObject({ code: 'UPSTREAM_UNAVAILABLE', details: { dependency: 'rpc:base' } });
    expect(outage?.detail).not.toContain('example.com');
  });

  it.each([
    ['a revert', respond({ code: 3, message: 'execution reverted: FiatTokenV2', data: '0x08c379a0' })],
    ['a revert without data', respond({ code: -32000, message: 'execution reverted' })],
    [
      'a revert in other words',
      respond({ code: -32015, message: 'VM execution error.', data: 'Reverted 0x' }),
    ],
    ['a contract that burns gas', respond({ code: -32000, message: 'out of gas' })],
    [
      'a contract that responds with too little',
      new AbiDecodingDataSizeTooSmallError({ data: '0x', params: [], size: 0 }),
    ],
    ['a mistake', new TypeError('no')],
    ['nothing', undefined],
  ])('behavior: %s is none', (_, error) => {
    expect(asOutage(error, 'rpc:base')).toBeUndefined();
  });
});
