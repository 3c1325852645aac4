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
import { createKeyRunner } from './runner.js';

const agent = { chain: 'base' } as Agent;
const vault = '0x4791cb70E233BD6120b81e1dB416589E38B1843C';
const deposit: OperationRequest = { operation: 'deposit', vault, asset: 'USDC', amount: '5' };
const redeem: OperationRequest = { operation: 'redeem', vault, asset: 'USDC', percentage: 100 };
const merkleRoot = `0x${'5c'.repeat(32)}`;
const sent = { intentEnvelope: { merkleRoot } } as ExecuteRequest;
// The service writes an id of its own.
const executionOf = (txHash: string) =>
  ({ result: 'executed', txHash, intentId: '0x' }) as unknown as Execution;
const resultOf = (txHash: string) =>
  ({
    execution: executionOf(txHash),
    verified: { merkleRoot, summary: [] },
    setup: { kind: 'already-set-up' },
  }) as unknown as ExecuteResult;
const waiting = () => new AbortController().signal;

function start() {
  const execute = jest.fn((_: Agent) => Promise.resolve(resultOf('0x01')));
  const resolveIntent = jest.fn(() => Promise.resolve(executionOf('0x02')));
  return { execute, resolveIntent, run: createKeyRunner({ execute, resolveIntent }) };
}

it('default: each call is an operation of its own', async () => {
  const { run, execute } = start();
  expect(await run(agent, deposit, waiting())).toMatchObject({
    data: { txHash: '0x01', intentId: merkleRoot },
  });
  await run(agent, deposit, waiting());
  expect(execute).toHaveBeenCalledTimes(2);
});

it('behavior: the same call while it runs is the same operation, and another one is BUSY', async () => {
  const { run, execute } = start();
  const first = run(agent, deposit, waiting());
  const second = run(agent, deposit, waiting());
  await expect(run(agent, redeem, waiting())).rejects.toMatchObject({ code: 'BUSY' });
  expect(await second).toBe(await first);
  expect(execute).toHaveBeenCalledTimes(1);
});

it('behavior: a client that stopped waiting gets the outcome once, by the same call', async () => {
  const { run, execute } = start();
  await run(agent, deposit, AbortSignal.abort());
  await run(agent, redeem, waiting());
  expect(execute).toHaveBeenCalledTimes(2);
  expect(await run(agent, deposit, waiting())).toMatchObject({ data: { txHash: '0x01' } });
  expect(execute).toHaveBeenCalledTimes(2);
  await run(agent, deposit, waiting());
  expect(execute).toHaveBeenCalledTimes(3);
});

it('error: a repeated call after a refusal signs no other nonce, until the user was told', async () => {
  const { run, execute } = start();
  const signed = jest.fn();
  const sign = (nonceSequence: bigint, error?: Error) =>
    execute.mockImplementationOnce(({ onProgress }: Agent) => {
      onProgress?.({ type: 'intent-verified', verified: { nonceSequence } as VerifiedEnvelope });
      signed(nonceSequence);
      return error ? Promise.reject(error) : Promise.resolve(resultOf('0x01'));
    });
  sign(7n, new Error('refused'));
  await expect(run(agent, deposit, waiting())).rejects.toThrow('refused');
  sign(7n, new Error('refused'));
  await expect(run(agent, deposit, waiting())).rejects.toThrow('refused');
  sign(8n);
  await expect(run(agent, deposit, waiting())).rejects.toMatchObject({ code: 'REFUSED_INTENT_EXECUTED' });
  expect(signed.mock.calls).toEqual([[7n], [7n]]);
  sign(8n);
  await run(agent, deposit, waiting());
});

describe('the count of a deposit', () => {
  const startCounted = (error: Error, isSigned: boolean) => {
    const started = start();
    const giveBack = jest.fn();
    started.execute.mockImplementationOnce(({ onProgress }: Agent) => {
      if (isSigned)
        onProgress?.({ type: 'intent-verified', verified: { nonceSequence: 7n } as VerifiedEnvelope });
      return Promise.reject(error);
    });
    const outcome = started.run(agent, deposit, waiting(), () => giveBack);
    return { ...started, giveBack, outcome };
  };

  it.each([
    ['it was not signed', new Error('refused'), false, 1],
    ['it failed for good', new IntentFailedError('REVERTED', '0x01', undefined), true, 1],
    ['it was signed, and refused', new Error('refused'), true, 0],
  ])('behavior: given back or not, when %s', async (_, error, isSigned, times) => {
    const { outcome, giveBack } = startCounted(error, isSigned);
    await expect(outcome).rejects.toBe(error);
    expect(giveBack).toHaveBeenCalledTimes(times);
  });

  it('behavior: given back once a pending intent has failed', async () => {
    const error = new IntentPendingError(sent, 1_800_000_000, undefined);
    const { outcome, giveBack, run, resolveIntent } = startCounted(error, true);
    await expect(outcome).rejects.toBe(error);
    expect(giveBack).not.toHaveBeenCalled();
    resolveIntent.mockRejectedValueOnce(new IntentFailedError('EXPIRED', undefined, undefined));
    await run(agent, redeem, waiting());
    expect(giveBack).toHaveBeenCalledTimes(1);
  });

  it('error: nothing runs when the limit refuses', async () => {
    const { run, execute } = start();
    const refused = new Error('MAX_DAILY');
    const reserve = () => {
      throw refused;
    };
    await expect(run(agent, deposit, waiting(), reserve)).rejects.toBe(refused);
    expect(execute).not.toHaveBeenCalled();
  });
});

describe('a pending intent', () => {
  const pending = new IntentPendingError(sent, 1_800_000_000, undefined);
  const startPending = async () => {
    const started = start();
    started.execute.mockRejectedValueOnce(pending);
    await expect(started.run(agent, deposit, waiting())).rejects.toBe(pending);
    return started;
  };

  it('behavior: the same call returns its execution and signs nothing', async () => {
    const { run, execute, resolveIntent } = await startPending();
    expect(await run(agent, deposit, waiting())).toMatchObject({ data: { txHash: '0x02' } });
    expect(resolveIntent).toHaveBeenCalledWith(agent, sent);
    expect(execute).toHaveBeenCalledTimes(1);
  });

  it('behavior: another call runs once it is resolved, also when it failed', async () => {
    const { run, execute, resolveIntent } = await startPending();
    resolveIntent.mockRejectedValueOnce(new IntentFailedError('EXPIRED', undefined, undefined));
    expect(await run(agent, redeem, waiting())).toMatchObject({ data: { txHash: '0x01' } });
    expect(execute).toHaveBeenCalledTimes(2);
  });

  it('error: nothing is signed while its outcome is unknown', async () => {
    const { run, execute, resolveIntent } = await startPending();
    resolveIntent.mockRejectedValue(pending);
    await expect(run(agent, deposit, waiting())).rejects.toBe(pending);
    await expect(run(agent, redeem, waiting())).rejects.toBe(pending);
    expect(execute).toHaveBeenCalledTimes(1);
  });
});
