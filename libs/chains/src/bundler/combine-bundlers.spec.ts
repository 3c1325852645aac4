import { createServer } from 'node:net';
import { UpstreamUnavailableError, userOperationHash } from '@yield-vault/protocol';
import {
  bundlerProfiles,
  listen,
  RpcFailure,
  startFakeBundler,
  type FakeBundler,
} from '@yield-vault/testing';
import { buildChainConfig } from '../../test/build-chain-config.js';
import { userOperation } from '../../test/build-user-operation.js';
import { createActiveChains } from '../active-chains.js';
import { BundlerRejection } from './bundler-rejection.js';
import type { Bundler, SendOutcome } from './bundler.js';
import { combineBundlers } from './combine-bundlers.js';

const config = buildChainConfig({ deadlines: { rpcMs: 500, bundlerMs: 2_000 } });
const { chainId, entryPoint, contracts } = config;
const hash = userOperationHash(userOperation, entryPoint, chainId, contracts.account);
const dead = 'http://127.0.0.1:1';

const connect = (...bundlerUrls: string[]): Bundler => connectWith({ bundlerUrls });
const connectWith = (overrides: Partial<typeof config>): Bundler =>
  createActiveChains({ chains: { base: { ...config, ...overrides } } }).require('base').bundler!;
const refuse = (code: number, message = 'no') => {
  throw new RpcFailure(code, message);
};
const sendsTo = ({ calls }: FakeBundler) =>
  calls.filter(({ method }) => method === 'eth_sendUserOperation').length;
const reportStatus = ({ handlers }: FakeBundler, status: string) => {
  handlers['pimlico_getUserOperationStatus'] = () => ({ status, transactionHash: null });
};

let first: FakeBundler;
let second: FakeBundler;
let bundler: Bundler;
beforeEach(async () => {
  first = await startFakeBundler(bundlerProfiles.alto, { chainId, entryPoint });
  second = await startFakeBundler(bundlerProfiles.alto, { chainId, entryPoint });
  bundler = connect(first.rpcUrl, second.rpcUrl);
});
afterEach(async () => {
  await first.stop();
  await second.stop();
});

describe('send', () => {
  it('default: the first bundler alone gets it', async () => {
    expect(await bundler.send(userOperation)).toMatchObject({ outcome: 'accepted' });
    expect([sendsTo(first), sendsTo(second)]).toEqual([1, 0]);
  });

  it('behavior: the next bundler gets it after refused connections', async () => {
    const sent = await connect(dead, dead, second.rpcUrl).send(userOperation);
    expect(sent).toMatchObject({ outcome: 'accepted' });
    expect(sendsTo(second)).toBe(1);
  });

  it('behavior: the next bundler gets it when no connection is made in time', async () => {
    // It accepts TCP, and never begins TLS.
    const { port, stop } = await listen(createServer());
    const bundlerUrls = [`https://127.0.0.1:${port}`, second.rpcUrl];
    const sender = connectWith({ bundlerUrls, deadlines: { rpcMs: 500, bundlerMs: 20_000 } });
    expect(await sender.send(userOperation)).toMatchObject({ outcome: 'accepted' });
    await stop();
  }, 20_000);

  it('behavior: unsent where every connection is refused', async () => {
    expect(await connect(dead, dead).send(userOperation)).toMatchObject({ outcome: 'unsent' });
  });

  it.each<[string, string, (bundler: FakeBundler) => void]>([
    ['a timeout after it took the operation', 'unknown', hang],
    ['a connection that ends', 'unknown', ({ setFault }) => setFault('cut')],
    ['HTTP status 500', 'unknown', ({ setFault }) => setFault('http-500')],
    ...[-32603, -32000, -32505].map((code): [string, string, typeof hang] => [
      `the error ${code}`,
      'unknown',
      ({ handlers }) => (handlers['eth_sendUserOperation'] = () => refuse(code)),
    ]),
    [
      'a refusal',
      'refused',
      ({ handlers }) => (handlers['eth_sendUserOperation'] = () => refuse(-32500, 'AA24 signature error')),
    ],
  ])('behavior: no other bundler gets it after %s', async (_, outcome, misbehave) => {
    misbehave(first);
    expect(await bundler.send(userOperation)).toMatchObject({ outcome });
    expect([first.requests, sendsTo(second)]).toEqual([1, 0]);
  });
});

describe('send, after a send that failed', () => {
  /** Two bundlers, which respond `accepted` unless told otherwise; send `count` operations one after the other. */
  const setUp = () => {
    const outcomes: Record<string, SendOutcome['outcome']> = {};
    const receivers: string[] = [];
    const bundlers = ['first', 'second'].map((name) => ({
      send: () => {
        receivers.push(name);
        return Promise.resolve({ outcome: outcomes[name] ?? 'accepted' });
      },
    }));
    let nowMs = 0;
    const combined = combineBundlers(config, bundlers as unknown as Bundler[], () => nowMs);
    return {
      outcomes,
      wait: (seconds: number) => (nowMs += seconds * 1_000),
      send: async (count: number) => {
        for (let each = 0; each < count; each++) await combined.send(userOperation);
        return receivers.splice(0);
      },
      sendAtOnce: async (count: number) => {
        await Promise.all(Array.from({ length: count }, () => combined.send(userOperation)));
        return receivers.splice(0);
      },
    };
  };
  const to = (name: string, count: number) => Array.from({ length: count }, () => name);

  it.each(['unknown', 'unsent'] as const)('behavior: %s puts a bundler last for 30 s', async (outcome) => {
    const { outcomes, send, wait } = setUp();
    outcomes['first'] = outcome;
    expect((await send(45)).filter((name) => name === 'first')).toHaveLength(1);
    outcomes['first'] = 'accepted';
    wait(29);
    expect(await send(1)).toEqual(['second']);
    wait(1);
    expect(await send(2)).toEqual(['first', 'first']);
  });

  it('behavior: one operation tries it again, while the others go elsewhere', async () => {
    const { outcomes, send, sendAtOnce, wait } = setUp();
    outcomes['first'] = 'unknown';
    await send(1);
    wait(30);
    expect(await sendAtOnce(9)).toEqual(['first', ...to('second', 8)]);
  });

  it('behavior: where each one failed, the one that failed earliest gets the next', async () => {
    const { outcomes, send, wait } = setUp();
    outcomes['first'] = outcomes['second'] = 'unknown';
    const receivers: string[] = [];
    for (let each = 0; each < 4; each++, wait(1)) receivers.push(...(await send(1)));
    expect(receivers).toEqual(['first', 'second', 'first', 'second']);
  });
});

function hang({ handlers }: FakeBundler): void {
  handlers['eth_sendUserOperation'] = () => new Promise(() => undefined);
}

describe('status', () => {
  it('default: of the bundler that got the operation', async () => {
    reportStatus(second, 'rejected');
    const sender = connect(dead, second.rpcUrl, first.rpcUrl);
    await sender.send(userOperation);
    expect(await sender.status(hash)).toMatchObject({ status: 'rejected' });
  });

  it('behavior: a rejection by another bundler does not count', async () => {
    hang(first);
    await bundler.send(userOperation);
    reportStatus(second, 'rejected');
    expect(await bundler.status(hash)).toMatchObject({ status: 'not_found' });
    first.setFault('cut');
    expect(await bundler.status(hash)).toBeUndefined();
  });

  it('behavior: of any bundler that holds it', async () => {
    await bundler.send(userOperation);
    reportStatus(first, 'rejected');
    reportStatus(second, 'submitted');
    expect(await bundler.status(hash)).toMatchObject({ status: 'submitted' });
    expect(await connect(dead, second.rpcUrl).status(hash)).toMatchObject({ status: 'submitted' });
  });
});

describe('receipt', () => {
  const method = 'eth_getUserOperationReceipt';
  const receipt = {
    ...{ userOpHash: hash, success: true, actualGasUsed: '0x1', actualGasCost: '0x1', logs: [] },
    receipt: { transactionHash: hash, blockNumber: '0x5', blockHash: hash, status: '0x1', logs: [] },
  };

  it('default: of the bundler that got the operation, before the others', async () => {
    second.handlers[method] = () => receipt;
    const sender = connect(dead, second.rpcUrl, first.rpcUrl);
    await sender.send(userOperation);
    expect(await sender.receipt(hash)).toMatchObject({ success: true });
    expect(first.requests).toBe(0);
  });

  it('behavior: of any bundler, in their order, while nobody knows which one got it', async () => {
    expect(await bundler.receipt(hash)).toBeNull();
    second.handlers[method] = () => receipt;
    expect(await bundler.receipt(hash)).toMatchObject({ success: true });
    first.setFault('cut');
    expect(await bundler.receipt(hash)).toMatchObject({ success: true });
  });

  it('error: UpstreamUnavailableError when one fails and none has it', async () => {
    first.setFault('cut');
    await expect(bundler.receipt(hash)).rejects.toThrow(UpstreamUnavailableError);
  });
});

describe('holds', () => {
  const hold = (each: FakeBundler) => reportStatus(each, 'not_submitted');
  const fail = ({ setFault }: FakeBundler) => setFault('cut');
  const hide = ({ handlers }: FakeBundler) => {
    for (const method of ['pimlico_getUserOperationStatus', 'eth_getUserOperationByHash'])
      handlers[method] = () => refuse(-32601);
  };
  const lack = () => undefined;

  it.each<[string, string, typeof hold, typeof hold]>([
    ['held', 'the first holds it', hold, lack],
    ['held', 'only the second holds it', lack, hold],
    ['held', 'the first hides what it holds, and the second shows it', hide, hold],
    ['held', 'one holds it and the other fails', fail, hold],
    ['not-held', 'none holds it', lack, lack],
    ['not-held', 'one has no method, and the other lacks it', hide, lack],
    ['unsupported', 'none has a method', hide, hide],
  ])('behavior: %s where %s', async (expected, _, prepareFirst, prepareSecond) => {
    prepareFirst(first);
    prepareSecond(second);
    expect(await bundler.holds(hash)).toBe(expected);
  });

  it.each([
    ['the other lacks it', lack],
    ['the other has no method', hide],
  ])('error: UpstreamUnavailableError when one fails and %s', async (_, prepareFirst) => {
    prepareFirst(first);
    fail(second);
    await expect(bundler.holds(hash)).rejects.toThrow(UpstreamUnavailableError);
  });
});

describe('gasPrice and estimate', () => {
  it.each<[string, (bundler: FakeBundler) => void]>([
    ['is down', ({ setFault }) => setFault('cut')],
    [
      'has an internal error',
      ({ handlers }) => (handlers['eth_estimateUserOperationGas'] = () => refuse(-32603)),
    ],
  ])('behavior: of the second where the first %s', async (_, misbehave) => {
    misbehave(first);
    expect(await bundler.estimate(userOperation)).toMatchObject({ callGasLimit: 200_000n });
    expect(await bundler.gasPrice()).toEqual({ maxFeePerGas: 500n, maxPriorityFeePerGas: 100n });
  });

  it('error: BundlerRejection of the first is a response', async () => {
    first.handlers['eth_estimateUserOperationGas'] = () => refuse(-32500, 'AA24 signature error');
    await expect(bundler.estimate(userOperation)).rejects.toThrow(BundlerRejection);
    expect(second.requests).toBe(0);
  });

  it('error: UpstreamUnavailableError when all are down', async () => {
    await expect(connect(dead, dead).gasPrice()).rejects.toMatchObject({
      code: 'UPSTREAM_UNAVAILABLE',
      details: { dependency: 'bundler:base' },
    });
  });
});
