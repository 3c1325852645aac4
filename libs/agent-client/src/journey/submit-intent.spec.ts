import { keccak256 } from 'viem';
import { addressBook } from '../../test/support/book.js';
import { buildPrepared, now } from '../../test/support/build-prepared.js';
import { ApiError, IntentFailedError, IntentPendingError, ServiceUnreachableError } from '../errors.js';
import type { AgentClient } from '../http/create-agent-client.js';
import type { ExecuteResponse } from '../types.js';
import { describeEnvelope } from '../verify/describe-envelope.js';
import { accepted } from './accepted.js';
import type { Fate } from './read-fate.js';
import { submitIntent } from './submit-intent.js';

const intentEnvelope = buildPrepared();
const verified = accepted(describeEnvelope(intentEnvelope, { addressBook }));
const request = { intentEnvelope, intentSignature: '0x12' } as const;
const txHash = keccak256('0x01');
const included = { kind: 'included', success: true, txHash, blockNumber: 9n, gasUsed: 250_000n } as const;

/** Submit an intent to a service that fails, with a node that sees one thing after the other, the last for ever. */
const submit = async (failure: Error, ...seen: (Fate | Error | undefined)[]) => {
  const execute = jest.fn<Promise<ExecuteResponse>, []>(() => Promise.reject(failure));
  const fateOf = jest.fn(async () => {
    const fate = seen.length > 1 ? seen.shift() : seen[0];
    if (fate instanceof Error) throw fate;
    return Promise.resolve(fate);
  });
  const client = { execute } as Partial<AgentClient> as AgentClient;
  const settled = submitIntent(client, { fateOf }, verified, request).then(
    (execution) => ({ execution, error: undefined }),
    (error: unknown) => ({ execution: undefined, error }),
  );
  await jest.runAllTimersAsync();
  return { ...(await settled), looks: fateOf.mock.calls.length };
};

const lost = new ServiceUnreachableError('connection failed');
const nonceUsed = {
  status: 400,
  error: 'Transaction submission failed',
  code: 'TRANSACTION_SUBMISSION_FAILED',
  details: { aaCode: 'AA25' },
};
const duplicate = new ApiError({ ...nonceUsed, afterUnanswered: true });
const pending = new ApiError({ status: 503, error: 'x', code: 'TRANSACTION_PENDING', retryable: true });
const broken = new ApiError({ status: 500, error: 'Internal error', code: 'INTERNAL' });
const doubts = [
  ['nobody answers', lost],
  ['it is still pending', pending],
  ['the service breaks', broken],
  ['it is refused as a duplicate after a lost answer', duplicate],
] as const;

describe('submitIntent', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('default: gives the answer, and asks nobody else', async () => {
    const answer = { result: 'executed' } as ExecuteResponse;
    const client = { execute: () => Promise.resolve(answer) } as Partial<AgentClient> as AgentClient;
    const fateOf = jest.fn();
    expect(await submitIntent(client, { fateOf }, verified, request)).toBe(answer);
    expect(fateOf).not.toHaveBeenCalled();
  });

  it('error: a refusal for good passes through', async () => {
    const refused = new ApiError(nonceUsed);
    expect(await submit(refused, included)).toMatchObject({ error: refused, looks: 0 });
  });

  it.each(doubts)('behavior: the execution that the chain shows when %s', async (_, failure) => {
    const { execution, looks } = await submit(failure, included);
    expect(execution).toEqual({
      result: 'found_on_chain',
      userOpHash: verified.userOpHash,
      txHash,
      chainId: 8453,
      chain: 'base',
      receipt: { status: 'success', gasUsed: '250000', blockNumber: 9 },
    });
    expect(looks).toBe(1);
  });

  it('behavior: looks again while the node is behind, or fails', async () => {
    const { execution, looks } = await submit(duplicate, undefined, new Error('node'), undefined, included);
    expect([execution?.txHash, looks]).toEqual([txHash, 4]);
  });

  it.each(doubts)('error: IntentPendingError when %s, and the chain does not say', async (_, failure) => {
    for (const seen of [undefined, new Error('node')]) {
      const { error, looks } = await submit(failure, seen);
      expect(error).toBeInstanceOf(IntentPendingError);
      expect(error).toMatchObject({ request, expiry: now + 600, cause: failure });
      expect(looks).toBe(5);
    }
  });

  // What used its nonce may be an earlier intent of this very order, which must not be carried out twice.
  it.each<[string, Fate, string | undefined, RegExp]>([
    ['REVERTED', { ...included, success: false }, txHash, /^Carry the order out again\.$/],
    [
      'NONCE_USED',
      { kind: 'never', why: 'NONCE_USED', txHash },
      txHash,
      /^Look at txHash first: .*already\.$/,
    ],
    ['EXPIRED', { kind: 'never', why: 'EXPIRED' }, undefined, /^Carry the order out again\.$/],
  ])('error: IntentFailedError %s, and what to do next', async (code, fate, look, nextAction) => {
    const { error } = await submit(duplicate, fate);
    expect(error).toBeInstanceOf(IntentFailedError);
    expect(error).toMatchObject({ code, txHash: look, cause: duplicate });
    expect((error as IntentFailedError).nextAction).toMatch(nextAction);
  });
});
