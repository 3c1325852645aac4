import { UpstreamFailure } from '@yield-vault/chains';
import { buildIntent } from '../../test/support/build-intent.js';
import { createFakeChain } from '../../test/support/fake-chain.js';
import { verifyIntent } from '../../test/support/verify-intent.js';
import { createOperationWatch } from './watch-operations.js';

async function setUp(options?: { readonly nonceCheckMs: number }) {
  const fake = createFakeChain();
  const { rpc } = fake.chain;
  const calls = { getBlockNumber: 0, getLogs: 0, multicall: 0 };
  for (const name of ['getBlockNumber', 'getLogs'] as const) {
    const read = rpc[name] as (parameters: unknown) => Promise<unknown>;
    Object.assign(rpc, {
      [name]: (parameters: unknown) => {
        calls[name]++;
        return read(parameters);
      },
    });
  }
  const request = await buildIntent();
  const { operation, userOpHash } = await verifyIntent(request, fake.chains);
  Object.assign(rpc, {
    multicall: ({ contracts }: { contracts: readonly unknown[] }) => {
      calls.multicall++;
      return Promise.all(contracts.map((read) => rpc.readContract(read as never)));
    },
  });
  const watch = createOperationWatch(fake.chain, options);
  const awaited = { operation, userOpHash, after: 100n };
  const wait = (timeoutMs = 5_000) => watch.wait(awaited, timeoutMs);
  return { fake, rpc, calls, operation, watch, awaited, wait, include: () => fake.includeDirectly(request) };
}

describe('createOperationWatch', () => {
  it('default: tells the transaction to who waited before its block, and who comes after it', async () => {
    const { wait, include } = await setUp();
    const early = wait();
    const idle = wait(300);
    setTimeout(include, 50);
    await expect(early).resolves.toEqual({ kind: 'included', txHash: expect.any(String) as string });
    await idle;
    await expect(wait()).resolves.toMatchObject({ kind: 'included' });
  });

  it('behavior: 5,000 calls cost the node as much as 5', async () => {
    const cost = async (count: number) => {
      const { calls, wait, include } = await setUp();
      const waits = Array.from({ length: count }, () => wait());
      setTimeout(include, 500);
      expect((await Promise.all(waits)).every(({ kind }) => kind === 'included')).toBe(true);
      return calls;
    };
    const [few, many] = [await cost(5), await cost(5_000)];
    expect([few.getLogs, many.getLogs]).toEqual([2, 2]);
    expect(many.getBlockNumber).toBeLessThan(2 * few.getBlockNumber);
  });

  it('behavior: asks nothing while nobody waits', async () => {
    const { calls, wait } = await setUp();
    await expect(wait(20)).resolves.toEqual({ kind: 'unseen', failure: undefined });
    await new Promise((resolve) => setTimeout(resolve, 100));
    const { getBlockNumber } = calls;
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(calls.getBlockNumber).toBe(getBlockNumber);
  });

  it.each([
    ['another operation used the nonce', { lag: false }],
    ['the logs of its block never come', { lag: true }],
  ])('behavior: unclear when %s', async (_, { lag }) => {
    const { fake, operation, wait } = await setUp({ nonceCheckMs: 100 });
    fake.setLogsLag(lag);
    const waiting = wait();
    setTimeout(() => fake.useNonceElsewhere(operation.nonce), 50);
    await expect(waiting).resolves.toEqual({ kind: 'unclear' });
  });

  it('behavior: unclear at once for an operation that was submitted before the first block that it read', async () => {
    const { watch, awaited, wait } = await setUp();
    const running = wait(400);
    await new Promise((resolve) => setTimeout(resolve, 50));
    await expect(watch.wait({ ...awaited, after: 10n }, 5_000)).resolves.toEqual({ kind: 'unclear' });
    await running;
  });

  it('error: says why the node did not respond, and goes on when it does', async () => {
    const { rpc, wait, include } = await setUp();
    const { getLogs } = rpc;
    Object.assign(rpc, { getLogs: () => Promise.reject(new UpstreamFailure('rpc:base', 'timed out')) });
    await expect(wait(50)).resolves.toMatchObject({ failure: { details: { dependency: 'rpc:base' } } });
    const waiting = wait();
    include();
    Object.assign(rpc, { getLogs });
    await expect(waiting).resolves.toMatchObject({ kind: 'included' });
  });

  it('behavior: an abort ends the wait', async () => {
    const { watch, awaited } = await setUp();
    const leaving = new AbortController();
    const waiting = watch.wait(awaited, 60_000, leaving.signal);
    leaving.abort();
    await expect(waiting).resolves.toMatchObject({ kind: 'unseen' });
  });
});
