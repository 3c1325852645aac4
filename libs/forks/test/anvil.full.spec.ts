import { startAnvil, type AnvilProcess } from '../src/server/anvil/index.js';
import { numberToHex, RpcRequestError, type Hex } from 'viem';
import { createForkRequest, type ForkRequest } from '../src/server/fork/create-fork-request.js';
import { call, sender, word, words } from './support/calls.js';
import { startUpstream, type Upstream } from './support/start-upstream.js';
import { tiny } from './support/tiny-contracts.js';

// Behaviour of the pinned Anvil that the code relies on, or works around. A new version that changes one of these
// needs a look at what names it.

let upstream: Upstream;
let host: AnvilProcess;
let rpc: ForkRequest;

beforeAll(async () => {
  upstream = await startUpstream();
  ({ host, rpc } = await startFork('--auto-impersonate', '--network', 'optimism'));
});
afterAll(async () => {
  await host?.kill();
  await upstream?.kill();
});

async function startFork(...args: string[]) {
  const fork = ['--accounts', '0', '--fork-url', upstream.rpcUrl, '--no-storage-caching', ...args];
  const anvil = await startAnvil({ args: fork });
  return { host: anvil, rpc: createForkRequest('base', anvil.rpcUrl) };
}

type SimulatedBlock = {
  number: Hex;
  timestamp: Hex;
  calls: { status: Hex; returnData: Hex; gasUsed: Hex }[];
};
const simulate = async (calls: readonly object[], blockOverrides = {}, validation = true) =>
  (
    (await rpc('eth_simulateV1', [
      { blockStateCalls: [{ blockOverrides, calls }], validation },
      'latest',
    ])) as [SimulatedBlock]
  )[0];
const failureOf = async (work: Promise<unknown>) => {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof RpcRequestError) return { code: error.code, message: error.details };
  throw new Error('It is no JSON-RPC error', { cause: error });
};

it('is the version that is pinned', async () => {
  expect(await rpc('web3_clientVersion')).toBe('anvil/v1.7.1');
});

describe('eth_simulateV1', () => {
  it('trap: the first block is the newest one again, unless a time is given', async () => {
    const head = await upstream.reader.getBlock();
    const plain = await simulate([call('environment')]);
    expect([BigInt(plain.number), BigInt(plain.timestamp)]).toEqual([head.number, head.timestamp]);
    const next = { number: numberToHex(head.number + 1n), time: numberToHex(head.timestamp + 9n) };
    const reported = await simulate([call('environment')], next);
    const [, , number, time] = words(reported.calls[0]?.returnData);
    expect([number, time]).toEqual([head.number + 1n, head.timestamp + 9n]);
  });

  it('trap: nonces are not checked', async () => {
    const { calls } = await simulate([{ ...call('counter', word(1n)), nonce: '0x63' }]);
    expect(calls[0]?.status).toBe('0x1');
  });

  it('trap: a fee below the base fee is not refused', async () => {
    const { calls } = await simulate([{ ...call('counter', word(1n)), gas: '0xffff', gasPrice: '0x0' }]);
    expect(calls[0]?.status).toBe('0x1');
  });

  it('trap: without validation the base fee reads 0', async () => {
    const [validated, plain] = await Promise.all([
      simulate([call('environment')]),
      simulate([call('environment')], {}, false),
    ]);
    expect(words(validated.calls[0]?.returnData)[0]).toBeGreaterThan(0n);
    expect(words(plain.calls[0]?.returnData)[0]).toBe(0n);
  });

  it('trap: every halt looks alike, and like a revert without data', async () => {
    const gas = numberToHex(100_000);
    const { calls } = await simulate([
      { ...call('reverter'), gas },
      { ...call('invalid'), gas },
      { ...call('loop'), gas },
    ]);
    expect(calls.map(({ status, returnData, gasUsed }) => [status, returnData, gasUsed === gas])).toEqual([
      ['0x0', '0xaabbccdd', false],
      ['0x0', '0x', true],
      ['0x0', '0x', true],
    ]);
  });

  it('trap: a call that could be in no block fails the whole question', async () => {
    expect(await failureOf(simulate([{ ...call('counter'), value: '0x1' }]))).toEqual({
      code: -32003,
      message: 'Insufficient funds for gas * price + value',
    });
    expect(await failureOf(simulate([{ ...call('counter'), gas: '0x5000' }]))).toMatchObject({
      code: -32000,
      message: expect.stringContaining('intrinsic gas') as string,
    });
  });
});

/** A signature that is valid: hash, r, s, x and y (Wycheproof, ecdsa_secp256r1_sha256_p1363, test 1). */
const p256Vector: Hex = `0x${[
  'bb5a52f42f9c9261ed4361f59422a1e30036e7c32b270c8807a419feca605023',
  '2ba3a8be6b94d5ec80a6d9d1190a436effe50d85a1eee859b8cc6af9bd5c2e18',
  '4cd60b855d442f5b3c7b11eb6c4e0ae7525fe710fab9aa7c77a67f79e6fadd76',
  '2927b10512bae3eddcfe467828128bad2903269919f7086069c8c4df6c732838',
  'c7787964eaac00e5921fb1498a60f4606766b3d9685001558d1a974e7341513e',
].join('')}`;

describe('P256VERIFY on 8453', () => {
  const verified = async (rpc: ForkRequest) =>
    rpc('eth_call', [{ from: sender, to: tiny.p256.address, data: p256Vector }, 'latest']);

  it('trap: it is missing, except in the EVM of the OP stack', async () => {
    const plain = await startFork();
    try {
      expect(await verified(plain.rpc)).toBe(word(0n));
      expect(await verified(rpc)).toBe(word(32n));
    } finally {
      await plain.host.kill();
    }
  });
});

it('trap: with --prune-history the first transaction of the fork cannot be traced', async () => {
  const pruned = await startFork('--auto-impersonate', '--prune-history');
  try {
    await pruned.rpc('anvil_setBalance', [sender, numberToHex(10n ** 20n)]);
    const receipt = await pruned.rpc('eth_sendTransactionSync', [
      { from: sender, to: sender, gas: '0xffff' },
    ]);
    const { transactionHash } = receipt as { transactionHash: Hex };
    const traced = pruned.rpc('debug_traceTransaction', [transactionHash, { tracer: 'callTracer' }]);
    expect(await failureOf(traced)).toMatchObject({ code: -32001 });
  } finally {
    await pruned.host.kill();
  }
});
