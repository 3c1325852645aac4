import { UpstreamUnavailableError } from '@yield-vault/protocol';
import { HttpRequestError, RpcRequestError, TimeoutError } from 'viem';
import { BundlerRejection } from './bundler/bundler-rejection.js';
import { failover } from './rpc/failover.js';
import { UpstreamFailure } from './rpc/upstream-failure.js';
import { classifyOperationSend, classifyTransactionSend } from './send-outcome.js';

const url = 'http://127.0.0.1:1';
const rejection = (bundlerCode: number, message: string) => new BundlerRejection({ bundlerCode, message });
const response = (code: number, message: string) =>
  new RpcRequestError({ body: {}, url, error: { code, message } });
const network = (parts: object) => new HttpRequestError({ url, cause: Object.assign(new Error('x'), parts) });
const outage = (cause: unknown) => new UpstreamUnavailableError({ detail: 'It is down.', cause });

type Failure = readonly [name: string, error: unknown];
const unsent: readonly Failure[] = [
  ['a refused connection', network({ code: 'ECONNREFUSED', syscall: 'connect' })],
  ['a name that does not resolve', network({ code: 'ENOTFOUND', syscall: 'getaddrinfo' })],
  ['a connection that was not made in time', network({ code: 'UND_ERR_CONNECT_TIMEOUT' })],
  ['an open circuit', outage(new UpstreamFailure('bundler:base', 'requests are paused', 5, true))],
];
const unreadable: readonly Failure[] = [
  ['a timeout', new TimeoutError({ body: {}, url })],
  ['a reset connection', network({ code: 'ECONNRESET', syscall: 'read' })],
  ['a closed connection', network({ code: 'UND_ERR_SOCKET' })],
  ['a gateway error', new HttpRequestError({ url, status: 502 })],
  ['a rate limit', new HttpRequestError({ url, status: 429 })],
  [
    'an error without a message',
    new RpcRequestError({ body: {}, url, error: { code: -32000 } as { code: number; message: string } }),
  ],
  ['a body of another shape', outage(new SyntaxError('x'))],
  ['anything else', 'text'],
];

describe.each([classifyOperationSend, classifyTransactionSend])('%p', (classify) => {
  it.each(unreadable)('default: %s is unknown', (_, error) => {
    expect(classify(error)).toBe('unknown');
  });

  it.each(unsent)('default: %s is unsent', (_, error) => {
    expect(classify(error)).toBe('unsent');
  });
});

describe('classifyOperationSend', () => {
  it.each([
    [-32500, 'AA24 signature error'],
    [-32501, 'AA33 reverted 0xd93c0665'],
    [-32502, 'account uses banned opcode: TIMESTAMP'],
    [-32507, 'Invalid UserOp signature'],
    [-32508, 'the paymaster deposit is too low'],
    [-32521, 'UserOperation reverted during simulation with reason: 0xd93c0665'],
    [-32602, 'maxFeePerGas must be at least 1000 (current maxFeePerGas: 1)'],
    [-32602, 'Invalid EIP-7702 userOperation: factory is 0x7702 but eip7702Auth is not provided.'],
    [-32602, 'Invalid EIP-7702 authorization: The nonce does not match the userOperation sender address'],
    [-32500, 'EIP-7702 nonce mismatch. Expected: 1, Actual: 0'],
    [-32000, 'precheck failed: maxPriorityFeePerGas is 1000000 but must be at least 1250000000'],
    [-32000, 'precheck failed: preVerificationGas is 1133120 but must be at least 2490360'],
  ])('default: %i %s is refused', (code, message) => {
    expect(classifyOperationSend(rejection(code, message))).toBe('refused');
  });

  it.each([
    [-32602, 'Already known'],
    [-32602, 'Invalid params'],
    [-32602, 'User operation gas limits exceed the max gas per userOp: 2 > 1'],
    [-32602, 'AA25 invalid account nonce: User operation already present in mempool, bump the gas price'],
    [-32602, 'AA10 sender already constructed: Sender already has an inflight EIP-7702 authorization'],
    [-32602, 'replacement op must increase maxFeePerGas and MaxPriorityFeePerGas'],
    [-32500, 'AA25 invalid account nonce'],
    [-32500, 'a user operation of this sender is in-flight'],
    [-32500, 'EIP-7702 auth sender has too many pending transactions: 2. Max allowed: 1'],
    [-32504, 'paymaster is throttled'],
    [-32504, 'AA31 paymaster deposit too low'],
    [-32602, 'AA33 reverted'],
    [-32603, 'AA23 reverted: the request timed out'],
    [-32603, 'AA33 reverted'],
    [-32000, 'AA21 did not pay prefund'],
    [-32000, 'precheck failed: initCode indicates factory with no code: 0x7702'],
    [-32004, 'AA24 signature error'],
    [-32000, 'request timed out'],
    [-32000, 'replacement underpriced'],
    [-32603, 'internal error'],
    [-32601, 'the method does not exist'],
    [0, ''],
  ])('default: %i %s is unknown', (code, message) => {
    expect(classifyOperationSend(rejection(code, message))).toBe('unknown');
  });
});

describe('classifyTransactionSend', () => {
  it.each([
    [-32000, 'insufficient funds for gas * price + value'],
    [-32003, 'Insufficient funds for gas * price + value'],
    [-32000, 'max fee per gas less than block base fee: address 0x0, maxFeePerGas: 1'],
    [-32000, 'max priority fee per gas higher than max fee per gas'],
    [-32000, 'intrinsic gas too low'],
    [-32000, 'transaction type not valid'],
  ])('default: %i %s is refused', (code, message) => {
    expect(classifyTransactionSend(response(code, message))).toBe('refused');
  });

  it.each([
    [-32000, 'already known'],
    [-32000, 'nonce too low'],
    [-32000, 'replacement transaction underpriced'],
    [-32000, 'txpool is full'],
    [-32603, 'internal error'],
    [-32005, 'limit exceeded'],
  ])('default: %i %s is unknown', (code, message) => {
    expect(classifyTransactionSend(response(code, message))).toBe('unknown');
  });

  it.each([
    ['a timeout', new TimeoutError({ body: {}, url }), 'unknown'],
    ['a refused connection', unsent[0]![1], 'refused'],
  ])('behavior: after %s of one node, the refusal of the next is %s', async (_, first, expected) => {
    const nodes = [first, response(-32000, 'insufficient funds')].map(
      (error) => () => ({ request: () => Promise.reject(error as Error) }) as never,
    );
    const { request } = failover(nodes, { dependency: 'rpc:base', maxHeadAgeSeconds: undefined })({});
    const error = await request({ method: 'eth_sendRawTransaction' }).catch((caught: unknown) => caught);
    expect(classifyTransactionSend(error)).toBe(expected);
  });
});
