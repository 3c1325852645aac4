import { createServer } from 'node:http';
import {
  listen,
  RpcFailure,
  startFakeRpc,
  type FakeRpc,
  type RpcFault,
  type RpcHandler,
} from '@yield-vault/testing';
import { numberToHex } from 'viem';
import { buildChainConfig } from '../../test/build-chain-config.js';
import { asUpstreamError } from '../as-upstream-error.js';
import { createRpc } from './create-rpc.js';
import { isMissingState } from './node-errors.js';

const rpcMs = 600;
const token = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
const revert = () => {
  throw new RpcFailure(3, 'execution reverted: paused', '0x');
};

let node: FakeRpc;
let spare: FakeRpc;
let rpc: ReturnType<typeof createRpc>;

const connect = (...rpcUrls: readonly string[]) =>
  createRpc('base', buildChainConfig({ rpcUrls, deadlines: { rpcMs, bundlerMs: rpcMs } }));

beforeEach(async () => {
  node = await startFakeRpc({ eth_blockNumber: () => '0x10', eth_getBalance: () => '0x1', eth_call: revert });
  spare = await startFakeRpc({ eth_blockNumber: () => '0x20', eth_call: () => '0x' });
  rpc = connect(node.rpcUrl);
});
afterEach(async () => {
  await node.stop();
  await spare.stop();
});

const failureOf = async (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => undefined,
    (e: unknown) => e,
  );

describe('createRpc', () => {
  it('default: calls of one tick travel together', async () => {
    const [block, balance] = await Promise.all([rpc.getBlockNumber(), rpc.getBalance({ address: token })]);
    expect([block, balance]).toEqual([16n, 1n]);
    expect(node.requests).toBe(1);
  });

  it.each<RpcFault>(['cut', 'silent', 'garbage', 'http-500'])(
    'error: %s is an outage within the deadline',
    async (fault) => {
      node.setFault(fault);
      const started = Date.now();
      const error = await failureOf(rpc.getBlockNumber());
      expect(asUpstreamError(error, 'other')?.details).toEqual({ dependency: 'rpc:base' });
      expect(Date.now() - started).toBeLessThan(rpcMs * 2);
    },
  );

  it('behavior: a revert is a response, and no other node receives the call', async () => {
    const both = connect(node.rpcUrl, spare.rpcUrl);
    const error = await failureOf(both.call({ to: token, data: '0x12345678' }));
    expect(error).toBeDefined();
    expect(asUpstreamError(error, 'rpc:base')).toBeUndefined();
    expect(spare.calls).toHaveLength(0);
    expect(node.calls).toHaveLength(1);
  });

  it.each([
    [-32_000, 'header not found'],
    [-32_007, '15/second request limit reached'],
  ])(
    'behavior: a read is repeated after %i %s, which another node or the next second may not say',
    async (code, text) => {
      let reads = 0;
      const behindBalancer = await startFakeRpc({
        eth_call: () => {
          if (reads++ === 0) throw new RpcFailure(code, text);
          return '0x2a';
        },
      });
      const deadlines = { rpcMs: 10_000, bundlerMs: 10_000 };
      const rpc = createRpc('base', buildChainConfig({ rpcUrls: [behindBalancer.rpcUrl], deadlines }));
      const read = rpc.call({ to: token, data: '0x12345678', blockNumber: 5n });
      await expect(read.finally(() => behindBalancer.stop())).resolves.toEqual({ data: '0x2a' });
    },
  );

  it.each<RpcFault>(['cut', 'silent'])('behavior: fails over from %s', async (fault) => {
    node.setFault(fault);
    expect(await connect(node.rpcUrl, spare.rpcUrl).getBlockNumber()).toBe(32n);
  });

  describe('with an age limit of the head', () => {
    const headOf = (age: number) => () => ({
      ...{ number: '0x10', hash: `0x${'0'.repeat(64)}`, transactions: [] },
      timestamp: numberToHex(Math.floor(Date.now() / 1_000) - age),
    });
    let ages: [number, number];
    let both: ReturnType<typeof createRpc>;
    let nodes: FakeRpc[];
    beforeEach(async () => {
      ages = [300, 5];
      nodes = await Promise.all(
        [0, 1].map((place) =>
          startFakeRpc({
            eth_getBlockByNumber: () => headOf(ages[place]!)(),
            eth_blockNumber: () => numberToHex(place + 1),
          }),
        ),
      );
      const rpcUrls = nodes.map(({ rpcUrl }) => rpcUrl);
      both = createRpc('base', buildChainConfig({ rpcUrls, maxHeadAgeSeconds: 60 }));
    });
    afterEach(() => Promise.all(nodes.map((each) => each.stop())));

    it('default: a node that lags is asked last, until it caught up', async () => {
      expect(await both.getBlockNumber()).toBe(1n);
      expect((await both.getBlock()).timestamp).toBeGreaterThan(BigInt(Math.floor(Date.now() / 1_000) - 60));
      expect(await both.getBlockNumber()).toBe(2n);
      nodes[1]!.setFault('http-500');
      expect(await both.getBlockNumber()).toBe(1n);
      ages[0] = 1;
      await both.getBlock();
      nodes[1]!.setFault(undefined);
      expect(await both.getBlockNumber()).toBe(1n);
    });

    it('error: when every node lags, the chain is down', async () => {
      ages = [300, 400];
      const error = asUpstreamError(await failureOf(both.getBlock()), 'other');
      expect(error?.detail).toMatch(/^rpc:base: the newest block is \d+ s old/);
    });
  });

  const lacksState = (code: number, message: string) => () => {
    throw new RpcFailure(code, message);
  };
  const readBoth = async (first: RpcHandler, second: RpcHandler) => {
    const nodes = [await startFakeRpc({ eth_call: first }), await startFakeRpc({ eth_call: second })];
    const both = connect(...nodes.map(({ rpcUrl }) => rpcUrl));
    const answer = await both.call({ to: token, data: '0x12345678', blockNumber: 5n }).then(
      ({ data }) => data,
      (error: unknown) => error,
    );
    await Promise.all(nodes.map((each) => each.stop()));
    return { response: answer, asked: nodes.map(({ calls }) => calls.length) };
  };

  it.each([
    [-32_000, 'missing trie node 1234 (path 0a) state 0x12 is not available'],
    [-32_000, 'metadata is not found'],
    [-32_603, 'state at block #5 is pruned'],
    [-32_002, 'No state available for block 0x05'],
    [-32_000, 'layer stale'],
  ])('behavior: the next node receives a call for state that one lacks (%s %s)', async (code, message) => {
    const { response: answer, asked } = await readBoth(lacksState(code, message), () => '0x2a');
    expect(answer).toBe('0x2a');
    expect(asked).toEqual([1, 1]);
  });

  it('error: that state is missing is said when every node lacks it, and is no outage', async () => {
    const lacks = lacksState(-32_603, 'state at block #5 is pruned');
    const { response: answer, asked } = await readBoth(lacks, lacks);
    expect(isMissingState(answer)).toBe(true);
    expect(asUpstreamError(answer, 'rpc:base')).toBeUndefined();
    expect(asked).toEqual([1, 1]);
  });

  it('error: while one node is down it is an outage that the other lacks the state', async () => {
    const lacks = lacksState(-32_000, 'missing trie node 1234 (path )');
    const isDown = lacksState(-32_603, 'internal error');
    for (const nodes of [[lacks, isDown] as const, [isDown, lacks] as const]) {
      const { response: answer } = await readBoth(...nodes);
      expect(isMissingState(answer)).toBe(false);
      expect(asUpstreamError(answer, 'rpc:base')?.code).toBe('UPSTREAM_UNAVAILABLE');
    }
  });

  it('behavior: a failed batch counts as one request, and so does each of its retries', async () => {
    const failBatches = async (count: number) => {
      for (let i = 0; i < count; i++)
        await Promise.allSettled(Array.from({ length: 50 }, () => rpc.getBalance({ address: token })));
    };
    node.setFault('cut');
    await failBatches(4);
    node.setFault(undefined);
    await expect(rpc.getBalance({ address: token })).resolves.toBe(1n);
    node.setFault('cut');
    await failBatches(10);
    expect(asUpstreamError(await failureOf(rpc.getBlockNumber()), 'rpc:base')?.detail).toContain('pause');
  });

  it('behavior: a transaction is sent once', async () => {
    const responses: number[] = [];
    const flaky = await startFakeRpc({
      eth_sendRawTransaction: () => {
        responses.push(1);
        throw new RpcFailure(-32603, 'internal error');
      },
    });
    const client = connect(flaky.rpcUrl);
    const error = await failureOf(client.sendRawTransaction({ serializedTransaction: '0x02' }));
    await flaky.stop();
    expect(asUpstreamError(error, 'rpc:base')).toBeDefined();
    expect(responses).toHaveLength(1);
  });

  it('behavior: an observer receives every call and every change of the breaker', async () => {
    const seen: string[] = [];
    const observed = createRpc('base', buildChainConfig({ rpcUrls: [node.rpcUrl] }), {
      observer: {
        onCall: (dependency, seconds, isUp) => {
          expect(seconds).toBeGreaterThan(0);
          seen.push(`${dependency} ${isUp ? 'up' : 'down'}`);
        },
        onBreaker: (dependency, isOpen) => void seen.push(`${dependency} ${isOpen ? 'open' : 'closed'}`),
      },
    });
    await observed.getBlockNumber();
    await failureOf(observed.call({ to: token, data: '0x12345678' }));
    node.setFault('http-500');
    for (let i = 0; i < 10; i++) await failureOf(observed.getBalance({ address: token }));
    expect(seen).toEqual([
      'rpc:base closed',
      ...Array<string>(2).fill('rpc:base up'),
      ...Array<string>(9).fill('rpc:base down'),
      ...['rpc:base open', 'rpc:base down'],
    ]);
  });

  it('behavior: after many failures it pauses, and then tries again', async () => {
    node.setFault('http-500');
    // Three requests each: a read is repeated twice.
    for (let i = 0; i < 10; i++) await failureOf(rpc.getBalance({ address: token }));
    node.setFault(undefined);
    const error = await failureOf(rpc.getBalance({ address: token }));
    expect(asUpstreamError(error, 'rpc:base')?.detail).toContain('pause');
    expect(node.calls).toHaveLength(0);
    await new Promise((resolve) => setTimeout(resolve, 1_600));
    expect(await rpc.getBalance({ address: token })).toBe(1n);
  });
});

describe('createRpc on answers of another shape', () => {
  it.each(['{}', '[]', 'null', '5', '[null]', ''])('error: %s is an outage', async (body) => {
    const server = createServer((_, response) =>
      response.setHeader('content-type', 'application/json').end(body),
    );
    const { port, stop } = await listen(server);
    const client = connect(`http://127.0.0.1:${port}`);
    const error = await failureOf(client.getBlockNumber());
    await stop();
    expect(asUpstreamError(error, 'other')?.details).toEqual({ dependency: 'rpc:base' });
  });
});
