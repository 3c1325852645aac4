import { startFakeRpc, type FakeRpc } from '@yield-vault/testing';
import { keccak256, numberToHex, type Hex } from 'viem';
import { addressBook, local } from '../../test/support/book.js';
import { buildExecution } from '../../test/support/build-execution.js';
import { buildPrepared, now } from '../../test/support/build-prepared.js';
import { ApiError, IntentFailedError, IntentPendingError, ServiceUnreachableError } from '../errors.js';
import type { AgentClient } from '../http/create-agent-client.js';
import type { ExecuteResponse, IntentStatus } from '@yield-vault/protocol';
import { accepted } from '../verify/result.js';
import { describeEnvelope } from '../verify/verify-envelope.js';
import type { Outcome } from './wallet-node.js';
import { resolveIntent, submitIntent } from './submit-intent.js';

const request = { intentEnvelope: buildPrepared(), intentSignature: '0x12' } as const;
const executed = buildExecution(request.intentEnvelope);

describe('resolveIntent', () => {
  let rpc: FakeRpc;
  let chainId: number;
  beforeEach(() => (chainId = local.chainId));
  beforeAll(async () => {
    rpc = await startFakeRpc({
      eth_chainId: () => numberToHex(chainId),
      eth_getBlockByNumber: () => ({ number: '0x10', timestamp: numberToHex(now + 601), transactions: [] }),
      eth_call: () => numberToHex(0n, { size: 32 }),
      eth_getLogs: () => [],
    });
  });
  afterAll(() => rpc.stop());

  const agentOf = (execute: AgentClient['execute']) => ({
    client: {
      execute,
      intent: () => Promise.reject(new Error('away')),
    } as Partial<AgentClient> as AgentClient,
    rpcUrl: rpc.rpcUrl,
    addressBook,
  });

  it('default: the service’s response to the same request', async () => {
    const response = { ...executed, result: 'already_executed' } as const;
    const execute = jest.fn(() => Promise.resolve(response));
    expect(await resolveIntent(agentOf(execute), request)).toBe(response);
    expect(execute.mock.calls).toEqual([[request]]);
  });

  it('error: the outcome on chain, for any refusal of the service', async () => {
    const refused = new ApiError({ status: 400, error: 'x', code: 'PREFLIGHT_SIMULATION_FAILED' });
    const failed = resolveIntent(
      agentOf(() => Promise.reject(refused)),
      request,
    );
    await expect(failed).rejects.toBeInstanceOf(IntentFailedError);
    await expect(failed).rejects.toMatchObject({ code: 'EXPIRED', cause: refused });
  });

  it('error: CHAIN_MISMATCH for a node of another chain, which would know nothing of it', async () => {
    chainId = 1;
    const execute = jest.fn();
    await expect(resolveIntent(agentOf(execute), request)).rejects.toMatchObject({ code: 'CHAIN_MISMATCH' });
    expect(execute).not.toHaveBeenCalled();
  });
});

const intentEnvelope = buildPrepared();
const verified = accepted(describeEnvelope(intentEnvelope, { addressBook }));
const sent = { intentEnvelope, intentSignature: '0x12' } as const;
const txHash = keccak256('0x01');
const open = { kind: 'open' } as const;
const included = { kind: 'included', success: true, txHash, blockNumber: 9n, gasUsed: 250_000n } as const;

/** Submit an intent to a service that fails, with a node that sees one thing after the other, the last for ever. */
const submit = async (failure: Error, ...seen: (Outcome | Error)[]) => {
  return submitTo(() => Promise.reject(failure), failure, seen);
};

const submitTo = async (intent: AgentClient['intent'], failure: Error, seen: (Outcome | Error)[]) => {
  const execute = jest.fn<Promise<ExecuteResponse>, []>(() => Promise.reject(failure));
  const outcomeOf = jest.fn(async () => {
    const outcome = seen.length > 1 ? seen.shift()! : seen[0]!;
    if (outcome instanceof Error) throw outcome;
    return Promise.resolve(outcome);
  });
  const client = { execute, intent } as Partial<AgentClient> as AgentClient;
  const submitted = submitIntent(client, { outcomeOf }, verified, sent).then(
    (execution) => ({ execution, error: undefined }),
    (error: unknown) => ({ execution: undefined, error }),
  );
  await jest.runAllTimersAsync();
  return { ...(await submitted), polls: outcomeOf.mock.calls.length };
};

const lost = new ServiceUnreachableError('connection failed');
const nonceUsed = {
  status: 400,
  error: 'Transaction submission failed',
  code: 'TRANSACTION_SUBMISSION_FAILED',
  details: { aaCode: 'AA25' },
};
const duplicate = new ApiError({ ...nonceUsed, afterLostResponse: true });
const pending = new ApiError({ status: 503, error: 'x', code: 'TRANSACTION_PENDING', retryable: true });
const broken = new ApiError({ status: 500, error: 'Internal error', code: 'INTERNAL' });
const doubts = [
  ['nobody answers', lost],
  ['it is still pending', pending],
  ['the service breaks', broken],
  ['it is refused as a duplicate after a lost response', duplicate],
] as const;

describe('submitIntent', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('default: returns the response, without another request', async () => {
    const client = { execute: () => Promise.resolve(executed) } as Partial<AgentClient> as AgentClient;
    const outcomeOf = jest.fn();
    expect(await submitIntent(client, { outcomeOf }, verified, sent)).toBe(executed);
    expect(outcomeOf).not.toHaveBeenCalled();
  });

  it('error: a refusal for good passes through, while the node shows that the nonce is unused', async () => {
    const refused = new ApiError(nonceUsed);
    expect(await submit(refused, open)).toMatchObject({ error: refused, polls: 1 });
  });

  it.each(doubts)('behavior: the execution that the chain shows when %s', async (_, failure) => {
    const { execution, polls } = await submit(failure, included);
    expect(execution).toEqual({
      result: 'found_on_chain',
      userOpHash: verified.userOpHash,
      txHash,
      chainId: 8453,
      chain: 'base',
      receipt: { status: 'success', gasUsed: '250000', blockNumber: 9 },
    });
    expect(polls).toBe(1);
  });

  it.each(doubts)('behavior: the execution that the service shows when %s', async (_, failure) => {
    const shown = [
      { state: 'submitted', result: null },
      { state: 'confirmed', result: executed },
    ];
    const intent = jest.fn((_id: Hex) => Promise.resolve(shown.shift() as IntentStatus));
    const { execution, polls } = await submitTo(intent, failure, [open]);
    expect([execution, polls]).toEqual([executed, 2]);
    expect(intent.mock.calls[0]).toEqual([intentEnvelope.merkleRoot]);
  });

  it('error: IntentPendingError when only the service says that it failed', async () => {
    const failed = { state: 'failed', result: null } as IntentStatus;
    const { error } = await submitTo(() => Promise.resolve(failed), pending, [open]);
    expect(error).toBeInstanceOf(IntentPendingError);
  });

  it('behavior: polls again while the node is behind, or fails', async () => {
    const { execution, polls } = await submit(duplicate, open, new Error('node'), open, included);
    expect([execution?.txHash, polls]).toEqual([txHash, 4]);
  });

  it.each(doubts)('error: IntentPendingError when %s, and the chain does not say', async (_, failure) => {
    for (const seen of [open, new Error('node')]) {
      const { error, polls } = await submit(failure, seen);
      expect(error).toBeInstanceOf(IntentPendingError);
      expect(error).toMatchObject({ request: sent, expiry: now + 600, cause: failure });
      expect(polls).toBe(5);
    }
  });

  // An earlier intent of the same request may have used the nonce; it must not execute twice.
  it.each<[string, Outcome, string | undefined, RegExp]>([
    ['REVERTED', { ...included, success: false }, txHash, /^Call execute again\.$/],
    ['NONCE_USED', { kind: 'never', why: 'NONCE_USED', txHash }, txHash, /^Check txHash first: .*already\.$/],
    ['EXPIRED', { kind: 'never', why: 'EXPIRED' }, undefined, /^Call execute again\.$/],
  ])('error: IntentFailedError %s, with the next action', async (code, outcome, look, nextAction) => {
    const { error } = await submit(duplicate, outcome);
    expect(error).toBeInstanceOf(IntentFailedError);
    expect(error).toMatchObject({ code, txHash: look, cause: duplicate });
    expect((error as IntentFailedError).nextAction).toMatch(nextAction);
  });
});
