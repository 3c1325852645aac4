import type { ExecuteResponse } from '@yield-vault/protocol';
import { keccak256 } from 'viem';
import { ApiError, IntentFailedError, IntentPendingError, type AgentClient } from '../../src/index.js';
import { submitIntent } from '../../src/flow/submit-intent.js';
import type { Outcome } from '../../src/flow/wallet-node.js';
import { accepted } from '../../src/verify/result.js';
import { describeEnvelope } from '../../src/verify/verify-envelope.js';
import { addressBook } from '../support/book.js';
import { buildExecution } from '../support/build-execution.js';
import { buildPrepared } from '../support/build-prepared.js';

const intentEnvelope = buildPrepared();
const verified = accepted(describeEnvelope(intentEnvelope, { addressBook }));
const execution = buildExecution(intentEnvelope);
const txHash = keccak256('0x01');
const included = { kind: 'included', success: true, txHash, blockNumber: 9n, gasUsed: 250_000n } as const;
const refused = new ApiError({ status: 400, error: 'x', code: 'PREFLIGHT_SIMULATION_FAILED' });

/** Submit an intent to a service, with a node that shows one outcome. */
const submit = async (respond: () => Promise<ExecuteResponse>, outcome: Outcome | Error) => {
  const client = { execute: respond, intent: async () => ({ result: await respond() }) };
  const outcomeOf = () => (outcome instanceof Error ? Promise.reject(outcome) : Promise.resolve(outcome));
  const submitted = submitIntent(client as unknown as AgentClient, { outcomeOf }, verified, {
    intentEnvelope,
    intentSignature: '0x12',
  }).catch((error: unknown) => error);
  await jest.runAllTimersAsync();
  return submitted;
};

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

it.each<[string, object]>([
  ['of another operation', { userOpHash: txHash }],
  ['on another chain', { chainId: 1 }],
  ['on a chain of another name', { chain: 'ethereum' }],
  ['that reverted', { receipt: { ...execution.receipt, status: 'reverted' } }],
  ['with another result', { result: 'refused' }],
])('attack: the service reports an execution %s, and the chain decides', async (_, lie) => {
  const respond = () => Promise.resolve({ ...execution, ...lie });
  expect(await submit(respond, included)).toMatchObject({ result: 'found_on_chain', txHash });
  expect(await submit(respond, { kind: 'never', why: 'EXPIRED' })).toBeInstanceOf(IntentFailedError);
  expect(await submit(respond, { kind: 'open' })).toBeInstanceOf(IntentPendingError);
});

it('attack: the service executes an intent and refuses it', async () => {
  const respond = () => Promise.reject(refused);
  expect(await submit(respond, included)).toMatchObject({ result: 'found_on_chain', txHash });
  for (const outcome of [{ kind: 'unknown' } as const, new Error('node')])
    expect(await submit(respond, outcome)).toBeInstanceOf(IntentPendingError);
});
