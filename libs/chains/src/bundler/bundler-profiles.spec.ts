import { eip7702Marker } from '@yield-vault/protocol';
import {
  bundlerProfiles,
  listen,
  startFakeBundler,
  startFakeRpc,
  type BundlerProfile,
  type FakeBundler,
  type FakeRpc,
} from '@yield-vault/testing';
import { createServer } from 'node:http';
import { buildChainConfig } from '../../test/build-chain-config.js';
import { userOperation } from '../../test/build-user-operation.js';
import { createActiveChains } from '../active-chains.js';
import { createChainProbe } from '../probe-chain.js';
import type { BundlerClient } from './bundler.js';

const hash = `0x${'ab'.repeat(32)}` as const;
const override = [{ address: userOperation.sender, balance: 1n }];
const deadlines = { rpcMs: 500, bundlerMs: 500 };
const { entryPoint } = buildChainConfig();
const authorization = { address: entryPoint, chainId: 8453, nonce: 0, r: hash, s: hash, yParity: 1 } as const;
const nodeFees = { maxFeePerGas: 127n, maxPriorityFeePerGas: 7n };

let node: FakeRpc;
beforeAll(async () => {
  node = await startFakeRpc({
    eth_chainId: () => '0x2105',
    eth_getBlockByNumber: () => ({
      number: '0x1',
      timestamp: '0x1',
      baseFeePerGas: '0x64',
      transactions: [],
    }),
    eth_maxPriorityFeePerGas: () => '0x7',
  });
});
afterAll(() => node.stop());

const connect = (bundlerUrl: string) => {
  const config = buildChainConfig({ rpcUrls: [node.rpcUrl], bundlerUrls: [bundlerUrl], deadlines });
  return createActiveChains({ chains: { base: config } }).require('base');
};

const expectations = {
  alto: {
    gasPrice: { maxFeePerGas: 500n, maxPriorityFeePerGas: 100n },
    status: { status: 'not_submitted', transactionHash: null },
    holds: ['not-held', 'held'],
    bareMarker: 'refused',
  },
  alchemy: {
    // 25 % above the smallest priority fee, on top of the node's base fee.
    gasPrice: { maxFeePerGas: 182n, maxPriorityFeePerGas: 62n },
    status: undefined,
    holds: ['not-held', 'held'],
    bareMarker: 'refused',
  },
  gateway: {
    gasPrice: nodeFees,
    status: undefined,
    holds: ['unsupported', 'unsupported'],
    bareMarker: 'accepted',
  },
} as const;

describe.each(Object.keys(bundlerProfiles) as (keyof typeof bundlerProfiles)[])('the bundler %s', (name) => {
  const profile: BundlerProfile = bundlerProfiles[name];
  const expected = expectations[name];
  let server: FakeBundler;
  let bundler: BundlerClient;
  beforeEach(async () => {
    server = await startFakeBundler(profile, { chainId: 8453, entryPoint });
    [bundler] = connect(server.rpcUrl).bundlers as [BundlerClient];
  });
  afterEach(() => server.stop());

  it('default: it takes an operation with the fees that it or the node names', async () => {
    const gasPrice = await bundler.gasPrice();
    expect(gasPrice).toEqual(expected.gasPrice);
    expect(await bundler.send({ ...userOperation, ...gasPrice })).toMatchObject({ outcome: 'accepted' });
  });

  it('default: what it says of an operation that it does not know, then holds', async () => {
    const before = await bundler.holds(hash);
    const sent = await bundler.send(userOperation);
    if (sent.outcome !== 'accepted') throw new Error(sent.outcome);
    expect([before, await bundler.holds(sent.userOpHash)]).toEqual(expected.holds);
    expect(await bundler.status(sent.userOpHash)).toEqual(expected.status);
    expect(await bundler.receipt(sent.userOpHash)).toBeNull();
  });

  it('behavior: it estimates, also where state is assumed', async () => {
    const plain = await bundler.estimate(userOperation);
    expect(plain).toMatchObject({ callGasLimit: 200_000n, paymasterPostOpGasLimit: 0n });
    expect(await bundler.estimate(userOperation, override)).toEqual(plain);
  });

  it('behavior: the marker without an authorization, and a stale authorization', async () => {
    await bundler.probeMethods();
    const marked = { ...userOperation, factory: eip7702Marker } as const;
    expect((await bundler.send(marked)).outcome).toBe(expected.bareMarker);
    server.setTransactionCount(1n);
    expect((await bundler.send({ ...marked, authorization })).outcome).toBe('refused');
    server.setTransactionCount(0n);
    expect((await bundler.send({ ...marked, authorization })).outcome).toBe('accepted');
  });

  it('behavior: the probe asks for each method that it lacks once, and no deposit asks again', async () => {
    const chain = connect(server.rpcUrl);
    const probe = createChainProbe({ error: () => undefined, warn: () => undefined });
    for (const _ of [1, 2, 3]) expect(await probe(chain)).toMatchObject({ bundler: 'ok' });
    const lacks = (method: string) => /^(pimlico|rundler)_|_getUserOperation/.test(method);
    const probed = server.calls.filter(({ method }) => lacks(method)).map(({ method }) => method);
    expect(new Set(probed).size).toBe(probed.length);
    expect(probed).toEqual(expect.arrayContaining([...profile.methods]));
    const before = server.calls.length;
    await chain.bundler!.gasPrice();
    await chain.bundler!.holds(hash);
    await chain.bundler!.receipt(hash);
    for (const { method } of server.calls.slice(before)) expect(profile.methods).toContain(method);
  });

  it('behavior: a bundler that is down at the start is probed once it is back', async () => {
    const chain = connect(server.rpcUrl);
    const probe = createChainProbe({ error: () => undefined, warn: () => undefined });
    server.setFault('http-500');
    expect(await probe(chain)).toMatchObject({ bundler: 'down' });
    server.setFault(undefined);
    expect(await probe(chain)).toMatchObject({ bundler: 'ok' });
    expect(server.calls.map(({ method }) => method)).toContain('pimlico_getUserOperationGasPrice');
    expect(await chain.bundler!.gasPrice()).toEqual(expected.gasPrice);
  });
});

const error = (fields: object) => JSON.stringify({ error: fields });
const result = (value: unknown) => JSON.stringify({ result: value });
const bodies = [
  '<html>502</html>',
  '',
  result(null),
  result({}),
  result(`0x${'f'.repeat(5_000)}`),
  '{"result":{"standard":{"maxFeePerGas":"0x1","maxPriorityFeePerGas":1e400}}}',
  result({ userOpHash: hash, success: true, logs: [], receipt: { transactionHash: hash, logs: 7 } }),
  '{"error":null}',
  '{"error":"unsupported"}',
  error({}),
  error({ code: '-32500', message: { text: 'AA24' } }),
  '{"error":{"code":1e400,"message":"infinite"}}',
  error({ code: -32500, message: 'AA23 reverted 0x123', data: '0x123' }),
  error({ code: -32521, message: 'reverted', data: [null, { a: 1 }] }),
  error({ code: -32500, message: '<b>'.repeat(10_000) }),
];

describe.each([200, 403])('a bundler that answers with HTTP status %i', (status) => {
  it.each(bodies.map((body) => [body.slice(0, 120), body]))('error: no surprise for %s', async (_, body) => {
    const server = createServer((request, response) => {
      request.resume().on('end', () => response.writeHead(status).end(body));
    });
    const { port, stop } = await listen(server);
    const chain = connect(`http://127.0.0.1:${port}`);
    const bundler = chain.bundler!;
    const probe = createChainProbe({ error: () => undefined, warn: () => undefined });
    const methods: Record<string, Promise<unknown>> = {
      gasPrice: bundler.gasPrice(),
      estimate: bundler.estimate(userOperation),
      assumed: bundler.estimate(userOperation, override),
      receipt: bundler.receipt(hash),
      holds: bundler.holds(hash),
    };
    const [errors, , { outcome }, health] = await Promise.all([
      Promise.all(Object.values(methods).map((call) => call.catch((thrown: unknown) => thrown))),
      bundler.status(hash),
      bundler.send(userOperation),
      probe(chain),
    ]);
    for (const [place, method] of Object.keys(methods).entries()) {
      const thrown = errors[place];
      if (!(thrown instanceof Error)) continue;
      if (thrown.name === 'BundlerRejection') {
        expect(['estimate', 'assumed']).toContain(method);
        expect(thrown.message.length).toBeLessThan(500);
        expect(Number.isSafeInteger(Reflect.get(thrown, 'bundlerCode'))).toBe(true);
      } else
        expect(thrown).toMatchObject({
          code: 'UPSTREAM_UNAVAILABLE',
          details: { dependency: 'bundler:base' },
        });
    }
    expect(['unknown', 'refused']).toContain(outcome);
    expect(health.bundler).toBe('down');
    await stop();
  });
});
