import type { IntentStatus } from '@yield-vault/protocol';
import type { Hex } from 'viem';
import { addressBook } from '../../test/support/book.js';
import { now } from '../../test/support/build-prepared.js';
import { executed, included, sent, submit, txHash, verified } from '../../test/support/submit.js';
import { ApiError, IntentFailedError, IntentPendingError, ServiceUnreachableError } from '../errors.js';
import type { AgentClient } from '../http/create-agent-client.js';
import { resolveIntent } from './submit-intent.js';
import type { Outcome, WalletNode } from './wallet-node.js';

describe('resolveIntent', () => {
  const requireChain = jest.fn(() => Promise.resolve());
  const outcomeOf = () => Promise.resolve({ kind: 'never', why: 'EXPIRED' } as const);
  const resolve = (execute: AgentClient['execute']) => {
    const client = { execute, intent: () => Promise.reject(new Error('away')) } as Partial<AgentClient>;
    const node = { requireChain, outcomeOf } as Partial<WalletNode>;
    return resolveIntent({ client: client as AgentClient, node: node as WalletNode, addressBook }, sent);
  };

  it('default: the service’s response to the same request', async () => {
    const response = { ...executed, result: 'already_executed' } as const;
    const execute = jest.fn(() => Promise.resolve(response));
    expect(await resolve(execute)).toBe(response);
    expect(execute.mock.calls).toEqual([[sent]]);
  });

  it('error: the outcome on chain, for any refusal of the service', async () => {
    const refused = new ApiError({ status: 400, error: 'x', code: 'PREFLIGHT_SIMULATION_FAILED' });
    const failed = resolve(() => Promise.reject(refused));
    await expect(failed).rejects.toBeInstanceOf(IntentFailedError);
    await expect(failed).rejects.toMatchObject({ code: 'EXPIRED', cause: refused });
  });

  it('error: a node of another chain, which would know nothing of it', async () => {
    const mismatch = new Error('CHAIN_MISMATCH');
    requireChain.mockRejectedValueOnce(mismatch);
    const execute = jest.fn();
    await expect(resolve(execute)).rejects.toBe(mismatch);
    expect(requireChain).toHaveBeenLastCalledWith('base', 8453);
    expect(execute).not.toHaveBeenCalled();
  });
});

const open = { kind: 'open' } as const;
const failing = (failure: Error) => {
  const fail = () => Promise.reject(failure);
  return { execute: fail, intent: fail };
};

const lost = new ServiceUnreachableError('connection failed');
const nonceUsed = { status: 400, error: 'x', code: 'TRANSACTION_SUBMISSION_FAILED' };
const duplicate = new ApiError({ ...nonceUsed, afterLostResponse: true });
const pending = new ApiError({ status: 503, error: 'x', code: 'TRANSACTION_PENDING', retryable: true });
const broken = new ApiError({ status: 500, error: 'Internal error', code: 'INTERNAL' });

describe('submitIntent', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('default: returns the response, without another request', async () => {
    const service = { ...failing(lost), execute: () => Promise.resolve(executed) };
    expect(await submit(service, open)).toEqual({ execution: executed, polls: 0 });
  });

  it('error: a refusal for good passes through, while the node shows that the nonce is unused', async () => {
    const refused = new ApiError(nonceUsed);
    expect(await submit(failing(refused), open)).toMatchObject({ error: refused, polls: 1 });
  });

  describe.each([
    ['nobody answers', lost],
    ['it is still pending', pending],
    ['the service breaks', broken],
    ['it is refused as a duplicate after a lost response', duplicate],
  ])('when %s', (_, failure) => {
    it('behavior: the execution that the chain shows', async () => {
      const { execution, polls } = await submit(failing(failure), included);
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

    it('behavior: the execution that the service shows', async () => {
      const shown = [
        { state: 'submitted', result: null },
        { state: 'confirmed', result: executed },
      ];
      const intent = jest.fn((_id: Hex) => Promise.resolve(shown.shift() as IntentStatus));
      const { execution, polls } = await submit({ ...failing(failure), intent }, open);
      expect([execution, polls]).toEqual([executed, 2]);
      expect(intent.mock.calls[0]).toEqual([verified.merkleRoot]);
    });

    it.each([open, new Error('node')])('error: IntentPendingError while the node shows %j', async (seen) => {
      const { error, polls } = await submit(failing(failure), seen);
      expect(error).toBeInstanceOf(IntentPendingError);
      expect(error).toMatchObject({ request: sent, expiry: now + 600, cause: failure });
      expect(polls).toBe(5);
    });
  });

  it('error: IntentPendingError when only the service says that it failed', async () => {
    const intent = () => Promise.resolve({ state: 'failed', result: null } as IntentStatus);
    const { error } = await submit({ ...failing(pending), intent }, open);
    expect(error).toBeInstanceOf(IntentPendingError);
  });

  it('behavior: polls again while the node is behind, or fails', async () => {
    const { execution, polls } = await submit(failing(duplicate), open, new Error('node'), open, included);
    expect([execution?.txHash, polls]).toEqual([txHash, 4]);
  });

  // An earlier intent of the same request may have used the nonce; it must not execute twice.
  it.each<[string, Outcome, string | undefined, RegExp]>([
    ['REVERTED', { ...included, success: false }, txHash, /^Call execute again\.$/],
    ['NONCE_USED', { kind: 'never', why: 'NONCE_USED', txHash }, txHash, /^Check txHash first: .*already\.$/],
    ['EXPIRED', { kind: 'never', why: 'EXPIRED' }, undefined, /^Call execute again\.$/],
  ])('error: IntentFailedError %s, with the next action', async (code, outcome, look, nextAction) => {
    const { error } = await submit(failing(duplicate), outcome);
    expect(error).toBeInstanceOf(IntentFailedError);
    expect(error).toMatchObject({ code, txHash: look, cause: duplicate });
    expect((error as IntentFailedError).nextAction).toMatch(nextAction);
  });
});
