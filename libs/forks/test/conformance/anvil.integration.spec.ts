import { startAnvil, type AnvilProcess } from '@yield-vault/anvil';
import { testAccount } from '@yield-vault/testing';
import {
  createPublicClient,
  http,
  numberToHex,
  RpcRequestError,
  serializeTransaction,
  type Hex,
  type TransactionSerializableEIP7702,
} from 'viem';
import { createForkRequest, type ForkRequest } from '../../src/rpc/create-fork-request.js';
import { createJsonPoster } from '../../src/rpc/create-json-poster.js';
import { call, sender, word, words } from '../support/calls.js';
import { p256Vector } from '../support/p256-vector.js';
import { startUpstream, type Upstream } from '../support/start-upstream.js';
import { tiny } from '../support/tiny-contracts.js';

// Behaviour of the pinned Anvil that the code relies on, or works around. A new version that changes one of these
// needs a look at what names it.

const chainId = 8453;
const poster = createJsonPoster();
const account = testAccount('authority');
const delegated = (address: string) => `0xef0100${address.slice(2)}`;

let upstream: Upstream;
let host: AnvilProcess;
let rpc: ForkRequest;

beforeAll(async () => {
  upstream = await startUpstream(chainId);
  ({ host, rpc } = await startFork('--auto-impersonate', '--network', 'optimism'));
});
afterAll(async () => {
  await poster.close();
  await host?.kill();
  await upstream?.kill();
});

async function startFork(...args: string[]) {
  const fork = ['--accounts', '0', '--fork-url', upstream.rpcUrl, '--no-storage-caching', ...args];
  const anvil = await startAnvil({ args: fork });
  return { host: anvil, rpc: createForkRequest({ chain: 'base', rpcUrl: anvil.rpcUrl, poster }) };
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

  it('behavior: nothing is kept, however many run at once', async () => {
    const before = await rpc('anvil_dumpState');
    const blocks = await Promise.all(
      Array.from({ length: 40 }, (_, index) => simulate([call('counter', word(BigInt(index)))])),
    );
    expect(blocks.map(({ calls }) => words(calls[0]?.returnData)[0])).toEqual(
      Array.from({ length: 40 }, (_, index) => BigInt(index)),
    );
    expect(await rpc('anvil_dumpState')).toBe(before);
  });
});

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

describe('transactions', () => {
  const chain = () => createPublicClient({ transport: http(host.rpcUrl, { retryCount: 0 }), cacheTime: 0 });
  const send = (transaction: object) =>
    rpc('eth_sendTransactionSync', [transaction]) as Promise<{ status: Hex }>;
  const transfer = (nonce: bigint) => ({
    from: account.address,
    to: sender,
    gas: '0xffff',
    nonce: numberToHex(nonce),
  });
  beforeAll(() => rpc('anvil_setBalance', [account.address, numberToHex(10n ** 20n)]));

  it('trap: a transaction with a nonce to come waits for ever, and nothing says so', async () => {
    const hash = await rpc('eth_sendTransaction', [transfer(5n)]);
    expect(hash).toMatch(/^0x[0-9a-f]{64}$/);
    expect(await rpc('txpool_status')).toEqual({ pending: '0x0', queued: '0x1' });
    expect(await rpc('eth_getTransactionReceipt', [hash])).toBeNull();
    await rpc('anvil_dropAllTransactions');
  });

  it('trap: without automine a transaction has no receipt until a block is mined', async () => {
    await rpc('evm_setAutomine', [false]);
    const hash = await rpc('eth_sendTransaction', [{ ...transfer(0n), nonce: undefined }]);
    expect(await rpc('eth_getTransactionReceipt', [hash])).toBeNull();
    await rpc('evm_mine');
    expect(await rpc('eth_getTransactionReceipt', [hash])).toMatchObject({ status: '0x1' });
    await rpc('evm_setAutomine', [true]);
  });

  it('trap: with --prune-history the first transaction of the fork cannot be traced', async () => {
    const pruned = await startFork('--auto-impersonate', '--prune-history');
    try {
      await pruned.rpc('anvil_setBalance', [sender, numberToHex(10n ** 20n)]);
      const receipt = await pruned.rpc('eth_sendTransactionSync', [{ ...transfer(0n), from: sender }]);
      const { transactionHash } = receipt as { transactionHash: Hex };
      const traced = pruned.rpc('debug_traceTransaction', [transactionHash, { tracer: 'callTracer' }]);
      expect(await failureOf(traced)).toMatchObject({ code: -32001 });
    } finally {
      await pruned.host.kill();
    }
  });

  describe('with an authorization', () => {
    const authorize = (nonce: number, address: Hex = tiny.counter.address, id = chainId) =>
      account.signAuthorization({ address, chainId: id, nonce });
    const run = async (shift: number, more: { address?: Hex; id?: number; data?: Hex } = {}) => {
      const nonce = await chain().getTransactionCount({ address: account.address });
      const authorization = await authorize(nonce + shift, more.address, more.id);
      const transaction: TransactionSerializableEIP7702 = {
        type: 'eip7702',
        chainId,
        nonce,
        to: account.address,
        data: more.data ?? word(1n),
        gas: 200_000n,
        maxFeePerGas: 10n ** 10n,
        authorizationList: [authorization],
      };
      const signed = await account.signTransaction(transaction, { serializer: serializeTransaction });
      const { status } = (await rpc('eth_sendRawTransactionSync', [signed])) as { status: Hex };
      return {
        status,
        code: await chain().getCode({ address: account.address }),
        used: (await chain().getTransactionCount({ address: account.address })) - nonce,
      };
    };
    beforeEach(() => rpc('anvil_setCode', [account.address, '0x']));

    it.each([
      ['applied: the nonce after the transaction', 1, {}, delegated(tiny.counter.address), 2],
      ['applied: chain id 0', 1, { id: 0 }, delegated(tiny.counter.address), 2],
      ['trap: skipped without a word: the nonce of the transaction itself', 0, {}, undefined, 1],
      ['trap: skipped without a word: another chain id', 1, { id: 1 }, undefined, 1],
    ] as const)('%s', async (_, shift, more, code, used) => {
      expect(await run(shift, more)).toEqual({ status: '0x1', code, used });
    });

    it('trap: it stays when the call reverts', async () => {
      expect(await run(1, { address: tiny.reverter.address })).toEqual({
        status: '0x0',
        code: delegated(tiny.reverter.address),
        used: 2,
      });
    });

    it('behavior: delegating to zero takes the delegation away', async () => {
      await run(1);
      const zero = '0x0000000000000000000000000000000000000000';
      expect(await run(1, { address: zero, data: '0x' })).toMatchObject({ status: '0x1', code: undefined });
    });
  });

  it('behavior: a sent transaction is answered with its receipt', async () => {
    expect(await send({ ...transfer(0n), nonce: undefined })).toMatchObject({ status: '0x1' });
  });
});
