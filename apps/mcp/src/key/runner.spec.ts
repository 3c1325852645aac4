import {
  IntentFailedError,
  IntentPendingError,
  type Agent,
  type ExecuteRequest,
  type ExecuteResult,
  type Execution,
  type OperationRequest,
  type VerifiedEnvelope,
} from '@yield-vault/agent-client';
import { createKeyRunner, type RunOptions } from './runner.js';

const vault = '0x4791cb70E233BD6120b81e1dB416589E38B1843C';
const deposit: OperationRequest = { operation: 'deposit', vault, asset: 'USDC', amount: '5' };
const redeem: OperationRequest = { operation: 'redeem', vault, asset: 'USDC', percentage: 100 };
const idOf = (n: number) => `0x${String(n).padStart(64, '0')}`;
const requestOf = (n: number) => ({ intentEnvelope: { merkleRoot: idOf(n) } }) as ExecuteRequest;
// The service writes an id of its own.
const executionOf = (n: number) =>
  ({ result: 'executed', txHash: idOf(n), intentId: '0x' }) as unknown as Execution;
const nonceUsed = new IntentFailedError('NONCE_USED', '0x01', undefined);
const refusal = new Error('refused');

/** A flow whose operations have the numbers from 1, a nonce, and an outcome of their own. */
function start() {
  const signed: [operation: string, nonce: bigint][] = [];
  const outcomes: (Error | undefined)[] = [];
  let nonce = 7n;
  const agent = { chain: 'base', client: { execute: () => Promise.resolve() } } as unknown as Agent;
  const execute = jest.fn(async (own: Agent, { operation }: OperationRequest) => {
    own.onProgress?.({ type: 'intent-verified', verified: { nonceSequence: nonce } as VerifiedEnvelope });
    signed.push([operation, nonce]);
    const n = signed.length;
    const error = outcomes.shift();
    if (error instanceof IntentPendingError) throw new IntentPendingError(requestOf(n), 1, undefined);
    await own.client.execute(requestOf(n));
    if (error) throw error;
    nonce += 1n;
    const verified = { merkleRoot: idOf(n), summary: [] };
    return {
      execution: executionOf(n),
      verified,
      setup: { kind: 'already-set-up' },
    } as unknown as ExecuteResult;
  });
  const resolveIntent = jest.fn((_: unknown, { intentEnvelope }: ExecuteRequest) =>
    Promise.resolve(executionOf(Number(BigInt(intentEnvelope.merkleRoot)))),
  );
  const runner = createKeyRunner({ execute, resolveIntent });
  const run = (request: OperationRequest, options?: RunOptions) => runner(agent, request, options);
  return { agent, execute, resolveIntent, run, outcomes, signed, useNonce: () => (nonce += 1n) };
}

const dataOf = (n: number) => ({ data: { txHash: idOf(n), intentId: idOf(n) } });

it('default: the same call within 10 minutes returns the first outcome, unless it comes after it', async () => {
  jest.useFakeTimers();
  const { run, signed } = start();
  expect(await run(deposit)).toMatchObject(dataOf(1));
  await run(redeem);
  expect(await run(deposit)).toMatchObject(dataOf(1));
  const after = idOf(1);
  expect(await run(deposit, { after })).toMatchObject(dataOf(3));
  expect(await run(deposit, { after })).toMatchObject(dataOf(3));
  jest.advanceTimersByTime(600_000);
  expect(await run(deposit)).toMatchObject(dataOf(4));
  expect(signed).toHaveLength(4);
  jest.useRealTimers();
});

it('behavior: the same call while it runs is the same operation, and another one is BUSY', async () => {
  const { run, signed } = start();
  const first = run(deposit);
  const second = run(deposit);
  await expect(run(redeem)).rejects.toMatchObject({ code: 'BUSY' });
  expect(await second).toBe(await first);
  expect(signed).toHaveLength(1);
});

describe('a refused intent', () => {
  const startRefused = async () => {
    const started = start();
    started.outcomes.push(refusal);
    await expect(started.run(deposit)).rejects.toBe(refusal);
    return started;
  };

  it('default: the same nonce is signed again', async () => {
    const { run, signed } = await startRefused();
    expect(await run(deposit)).toMatchObject(dataOf(2));
    expect(signed.map(([, nonce]) => nonce)).toEqual([7n, 7n]);
  });

  it('behavior: when it was executed, the same call returns it and signs nothing', async () => {
    const { run, signed, useNonce } = await startRefused();
    useNonce();
    expect(await run(deposit)).toMatchObject(dataOf(1));
    expect(signed).toHaveLength(1);
  });

  it('behavior: when it is executed instead of its repetition, the call returns it', async () => {
    const { run, signed, outcomes, resolveIntent } = await startRefused();
    outcomes.push(nonceUsed);
    expect(await run(deposit)).toMatchObject(dataOf(1));
    expect(signed).toHaveLength(2);
    expect(resolveIntent).toHaveBeenCalledTimes(1);
  });

  it('behavior: when it was executed, another call runs, and the same call returns it later', async () => {
    const { run, signed, useNonce } = await startRefused();
    useNonce();
    expect(await run(redeem)).toMatchObject(dataOf(2));
    expect(await run(deposit)).toMatchObject(dataOf(1));
    expect(signed).toEqual([
      ['deposit', 7n],
      ['redeem', 8n],
    ]);
  });

  it('behavior: when something else used its nonce, the call runs', async () => {
    const { run, useNonce, resolveIntent } = await startRefused();
    useNonce();
    resolveIntent.mockRejectedValueOnce(nonceUsed);
    expect(await run(deposit)).toMatchObject(dataOf(2));
  });
});

describe('a pending intent', () => {
  const startPending = async () => {
    const started = start();
    started.outcomes.push(new IntentPendingError(requestOf(0), 1, undefined));
    await expect(started.run(deposit)).rejects.toThrow(IntentPendingError);
    return started;
  };

  it('behavior: the same call returns its execution and signs nothing, also after another call', async () => {
    const { agent, run, signed, resolveIntent } = await startPending();
    expect(await run(redeem)).toMatchObject(dataOf(2));
    expect(await run(deposit)).toMatchObject(dataOf(1));
    expect(resolveIntent).toHaveBeenCalledWith(agent, requestOf(1));
    expect(signed).toHaveLength(2);
  });

  it('behavior: another call runs once it failed', async () => {
    const { run, resolveIntent } = await startPending();
    resolveIntent.mockRejectedValueOnce(new IntentFailedError('EXPIRED', undefined, undefined));
    expect(await run(redeem)).toMatchObject(dataOf(2));
  });

  it('error: nothing is signed while its outcome is unknown', async () => {
    const { run, signed, resolveIntent } = await startPending();
    const pending = new IntentPendingError(requestOf(1), 1, undefined);
    resolveIntent.mockRejectedValue(pending);
    await expect(run(deposit)).rejects.toBe(pending);
    await expect(run(redeem)).rejects.toBe(pending);
    expect(signed).toHaveLength(1);
  });
});

describe('the count of a deposit', () => {
  const startCounted = () => {
    const started = start();
    const counted = { taken: 0, back: 0 };
    const reserve = () => {
      counted.taken += 1;
      return () => void (counted.back += 1);
    };
    return { ...started, counted, deposit: () => started.run(deposit, { reserve }).catch(() => undefined) };
  };

  it.each([
    [
      'it failed before the signature',
      (one: ReturnType<typeof startCounted>) => void one.execute.mockRejectedValueOnce(refusal),
      1,
    ],
    [
      'it failed for good',
      ({ outcomes }: ReturnType<typeof startCounted>) => void outcomes.push(nonceUsed),
      1,
    ],
    ['it was refused', ({ outcomes }: ReturnType<typeof startCounted>) => void outcomes.push(refusal), 0],
  ])('behavior: given back or not, when %s', async (_, prepare, back) => {
    const one = startCounted();
    prepare(one);
    await one.deposit();
    expect(one.counted).toEqual({ taken: 1, back });
  });

  it('behavior: counted once, however often it is refused', async () => {
    const one = startCounted();
    one.outcomes.push(refusal, refusal, refusal);
    for (let n = 0; n < 4; n++) await one.deposit();
    expect(one.counted).toEqual({ taken: 1, back: 0 });
    await one.run(redeem);
    expect(one.counted).toEqual({ taken: 1, back: 0 });
  });

  it('behavior: given back once, when all of its intents can no longer be executed', async () => {
    const one = startCounted();
    one.outcomes.push(refusal, refusal);
    await one.deposit();
    await one.deposit();
    await one.run(redeem);
    expect(one.counted).toEqual({ taken: 1, back: 1 });
  });

  it('behavior: kept, when one of its refused intents was executed', async () => {
    const one = startCounted();
    one.outcomes.push(refusal, refusal);
    await one.deposit();
    await one.deposit();
    one.useNonce();
    one.resolveIntent.mockRejectedValueOnce(nonceUsed);
    await one.run(redeem);
    expect(one.counted).toEqual({ taken: 1, back: 0 });
  });

  it('error: nothing runs when the limit refuses', async () => {
    const { run, execute } = start();
    const reserve = () => {
      throw refusal;
    };
    await expect(run(deposit, { reserve })).rejects.toBe(refusal);
    expect(execute).not.toHaveBeenCalled();
  });
});
