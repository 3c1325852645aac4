import { eip7702Marker, UpstreamUnavailableError } from '@yield-vault/protocol';
import { RpcFailure, startFakeRpc, type FakeRpc, type RpcFault, type RpcHandler } from '@yield-vault/testing';
import { buildChainConfig } from '../../test/build-chain-config.js';
import { userOperation } from '../../test/build-user-operation.js';
import { createRpc } from '../rpc/create-rpc.js';
import { BundlerRejection } from './bundler-rejection.js';
import type { Bundler } from './bundler.js';
import { createBundler } from './create-bundler.js';

const hash = `0x${'ab'.repeat(32)}` as const;
const handlers: Record<string, RpcHandler> = {};
let server: FakeRpc;
let node: FakeRpc;
let bundler: Bundler;

const config = buildChainConfig({ deadlines: { rpcMs: 500, bundlerMs: 500 } });
const refuse = (code: number, message: string, data?: unknown) => () => {
  throw new RpcFailure(code, message, data);
};

beforeEach(async () => {
  for (const method of Object.keys(handlers)) delete handlers[method];
  server = await startFakeRpc(handlers);
  node = await startFakeRpc({
    eth_getBlockByNumber: () => ({ number: '0x1', baseFeePerGas: '0x64', transactions: [] }),
    eth_maxPriorityFeePerGas: () => '0x7',
  });
  const rpc = createRpc('base', { ...config, rpcUrls: [node.rpcUrl] });
  bundler = createBundler('base', { ...config, bundlerUrls: [server.rpcUrl] }, 0, rpc);
});
afterEach(async () => {
  await server.stop();
  await node.stop();
});

describe('createBundler', () => {
  it('default: estimate', async () => {
    handlers['eth_estimateUserOperationGas'] = () => ({
      callGasLimit: '0x10',
      verificationGasLimit: '0x20',
      preVerificationGas: '0x30',
      paymasterVerificationGasLimit: '0x40',
      paymasterPostOpGasLimit: '0x50',
      extra: true,
    });
    expect(await bundler.estimate(userOperation)).toEqual({
      callGasLimit: 16n,
      verificationGasLimit: 32n,
      preVerificationGas: 48n,
      paymasterVerificationGasLimit: 64n,
      paymasterPostOpGasLimit: 80n,
    });
    expect(server.calls[0]?.params).toEqual([
      expect.objectContaining({ nonce: '0x7', callGasLimit: '0x33450', paymaster: userOperation.paymaster }),
      config.entryPoint,
    ]);
  });

  it('behavior: estimate on top of other state', async () => {
    handlers['eth_estimateUserOperationGas'] = refuse(-32500, 'AA21');
    const address = userOperation.sender;
    const stateDiff = [{ slot: hash, value: hash }];
    await bundler
      .estimate(userOperation, [{ address, balance: 1n, code: '0xfe', stateDiff }])
      .catch(() => undefined);
    expect(server.calls[0]?.params[2]).toEqual({
      [address]: { balance: '0x1', code: '0xfe', stateDiff: { [hash]: hash } },
    });
  });

  it('behavior: estimate and send pass an authorization on', async () => {
    const authorization = {
      address: config.contracts.account,
      chainId: 8453,
      nonce: 7,
      ...{ r: hash, s: hash, yParity: 1 },
    };
    const operation = { ...userOperation, factory: eip7702Marker, authorization } as const;
    await bundler.estimate(operation).catch(() => undefined);
    await bundler.send(operation);
    expect(server.calls).toHaveLength(2);
    for (const { params } of server.calls)
      expect(params[0]).toMatchObject({
        factory: '0x7702',
        eip7702Auth: { ...authorization, chainId: '0x2105', nonce: '0x7', yParity: '0x01' },
      });
  });

  it('default: the status of an operation, undefined where the bundler does not say', async () => {
    handlers['pimlico_getUserOperationStatus'] = () => ({ status: 'queued' });
    expect(await bundler.status(hash)).toEqual({ status: 'queued', transactionHash: null });
    server.setFault('cut');
    expect(await bundler.status(hash)).toBeUndefined();
    server.setFault(undefined);
    delete handlers['pimlico_getUserOperationStatus'];
    expect(await bundler.status(hash)).toBeUndefined();
  });

  describe('holds', () => {
    const status = (value: string) => () => ({ status: value, transactionHash: null });
    it.each<[string, Record<string, RpcHandler>, string]>([
      ['neither method', {}, 'unsupported'],
      ['an unknown hash', { eth_getUserOperationByHash: () => null }, 'not-held'],
      ['a pending operation by hash', { eth_getUserOperationByHash: () => ({ blockNumber: null }) }, 'held'],
      [
        'a status alone',
        { pimlico_getUserOperationStatus: status('submitted'), eth_getUserOperationByHash: () => null },
        'held',
      ],
      ['an operation that it never saw', { pimlico_getUserOperationStatus: status('not_found') }, 'not-held'],
    ])('behavior: a bundler with %s', async (_, offered, expected) => {
      Object.assign(handlers, offered);
      expect(await bundler.holds(hash)).toBe(expected);
    });

    it.each([-32600, -32601, -32000, 403])(
      'behavior: %i of a method that never worked is a method that is absent, and it is not asked again',
      async (code) => {
        handlers['eth_getUserOperationByHash'] = refuse(code, 'unsupported method');
        handlers['pimlico_getUserOperationStatus'] = refuse(code, 'not whitelisted');
        expect(await bundler.holds(hash)).toBe('unsupported');
        const { requests } = server;
        expect(await bundler.holds(hash)).toBe('unsupported');
        expect(server.requests).toBe(requests);
      },
    );

    it.each([-32000, -32005])('error: UpstreamUnavailableError for %i after it worked', async (code) => {
      handlers['eth_getUserOperationByHash'] = () => null;
      expect(await bundler.holds(hash)).toBe('not-held');
      handlers['eth_getUserOperationByHash'] = refuse(code, 'try later');
      await expect(bundler.holds(hash)).rejects.toThrow(UpstreamUnavailableError);
    });

    it('error: UpstreamUnavailableError for an outage, from the first request on', async () => {
      server.setFault('cut');
      await expect(bundler.holds(hash)).rejects.toThrow(UpstreamUnavailableError);
      server.setFault(undefined);
      expect(await bundler.holds(hash)).toBe('unsupported');
    });
  });

  it('default: receipt, null while unknown', async () => {
    handlers['eth_getUserOperationReceipt'] = () => null;
    expect(await bundler.receipt(hash)).toBeNull();
    handlers['eth_getUserOperationReceipt'] = () => ({
      userOpHash: hash,
      success: false,
      actualGasUsed: '0x10',
      actualGasCost: '0x20',
      logs: [],
      receipt: { transactionHash: hash, blockNumber: '0x5', blockHash: hash, status: '0x1', logs: [] },
    });
    expect(await bundler.receipt(hash)).toMatchObject({
      success: false,
      actualGasUsed: 16n,
      receipt: { transactionHash: hash, blockNumber: 5n, status: 'success' },
    });
  });

  it('behavior: gasPrice of the node where the bundler has none, read unless it is known', async () => {
    const known = { maxFeePerGas: 5n, maxPriorityFeePerGas: 1n };
    expect(await bundler.gasPrice(Promise.resolve(known))).toEqual(known);
    expect(node.calls).toHaveLength(0);
    expect(await bundler.gasPrice()).toEqual({ maxFeePerGas: 127n, maxPriorityFeePerGas: 7n });
  });

  const inMessage = 'UserOperation reverted with reason: AA33 reverted 0xd93c0665';
  it.each([
    [
      'the signature',
      refuse(-32500, 'reverted with reason: AA24 signature error'),
      -32500,
      'AA24',
      undefined,
    ],
    ['the paymaster', refuse(-32501, 'AA33 reverted', '0xfb8f41b2'), -32501, 'AA33', '0xfb8f41b2'],
    ['the execution', refuse(-32521, 'reverted', { revertData: '0x1234' }), -32521, undefined, '0x1234'],
    ['the paymaster, in the message', refuse(-32500, inMessage), -32500, 'AA33', '0xd93c0665'],
  ])('error: BundlerRejection of %s', async (_, handler, bundlerCode, aaCode, revertData) => {
    handlers['eth_estimateUserOperationGas'] = handler;
    const error = await bundler.estimate(userOperation).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(BundlerRejection);
    expect(error).toMatchObject({ bundlerCode, aaCode, revertData });
    expect(server.calls).toHaveLength(1);
  });

  it('behavior: keeps the start of a long message', async () => {
    handlers['eth_sendUserOperation'] = refuse(-32500, 'AA23 '.repeat(1_000));
    const sent = await bundler.send(userOperation);
    if (sent.outcome !== 'refused') throw new Error(sent.outcome);
    const { message, aaCode } = sent.rejection;
    expect([message.length, aaCode]).toEqual([200, 'AA23']);
  });

  it.each<RpcFault>(['cut', 'silent'])(
    'behavior: a send that meets %s is unknown, and it is sent once',
    async (fault) => {
      handlers['eth_sendUserOperation'] = () => hash;
      server.setFault(fault);
      const outcome = await bundler.send(userOperation);
      server.setFault(undefined);
      expect(outcome).toMatchObject({
        outcome: 'unknown',
        cause: { code: 'UPSTREAM_UNAVAILABLE', details: { dependency: 'bundler:base' } },
      });
      expect(server.calls).toHaveLength(0);
    },
  );

  it('behavior: a send that finds no server, or an open circuit, is unsent', async () => {
    const closed = await startFakeRpc({});
    await closed.stop();
    const absent = createBundler('base', { ...config, bundlerUrls: [closed.rpcUrl] }, 0, {} as never);
    for (let attempt = 0; attempt < 32; attempt++)
      expect(await absent.send(userOperation)).toMatchObject({
        outcome: 'unsent',
        error: { code: 'UPSTREAM_UNAVAILABLE', details: { dependency: 'bundler:base' } },
      });
  });

  it.each([
    ['refused', refuse(-32500, 'AA24 signature error')],
    ['unknown', refuse(-32602, 'Already known')],
    ['unknown', () => 'ok'],
  ])('behavior: a send whose response is %s', async (outcome, handler) => {
    handlers['eth_sendUserOperation'] = handler;
    expect(await bundler.send(userOperation)).toMatchObject({ outcome });
    expect(server.calls).toHaveLength(1);
  });

  it.each(['0x', `0x${'f'.repeat(17)}`])(
    'error: UpstreamUnavailableError for gas and fees of %s',
    async (number) => {
      const gas = { callGasLimit: number, verificationGasLimit: '0x1', preVerificationGas: '0x1' };
      const standard = { maxFeePerGas: number, maxPriorityFeePerGas: '0x1' };
      handlers['eth_estimateUserOperationGas'] = () => gas;
      handlers['pimlico_getUserOperationGasPrice'] = () => ({ standard });
      await expect(bundler.estimate(userOperation)).rejects.toThrow(UpstreamUnavailableError);
      await expect(bundler.gasPrice()).rejects.toThrow(UpstreamUnavailableError);
    },
  );
});
