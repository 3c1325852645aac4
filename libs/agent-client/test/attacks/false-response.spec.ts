import type { ExecuteResponse, IntentStatus } from '@yield-vault/protocol';
import { ApiError, IntentFailedError, IntentPendingError } from '../../src/index.js';
import { executed, included, submit, txHash } from '../support/submit.js';

const found = { execution: { result: 'found_on_chain', txHash } };
const refused = new ApiError({ status: 400, error: 'x', code: 'PREFLIGHT_SIMULATION_FAILED' });

/** A service that says the same of an intent wherever it is asked. */
const serviceOf = (respond: () => Promise<ExecuteResponse>) => ({
  execute: respond,
  intent: async () => ({ result: await respond() }) as IntentStatus,
});

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

it.each<[string, object]>([
  ['of another operation', { userOpHash: txHash }],
  ['on another chain', { chainId: 1 }],
  ['on a chain of another name', { chain: 'ethereum' }],
  ['that reverted', { receipt: { ...executed.receipt, status: 'reverted' } }],
  ['with another result', { result: 'refused' }],
])('attack: the service reports an execution %s, and the chain decides', async (_, lie) => {
  const service = serviceOf(() => Promise.resolve({ ...executed, ...lie }));
  expect(await submit(service, included)).toMatchObject(found);
  const never = await submit(service, { kind: 'never', why: 'EXPIRED' });
  expect(never.error).toBeInstanceOf(IntentFailedError);
  expect((await submit(service, { kind: 'open' })).error).toBeInstanceOf(IntentPendingError);
});

it('attack: the service executes an intent and refuses it', async () => {
  const service = serviceOf(() => Promise.reject(refused));
  expect(await submit(service, included)).toMatchObject(found);
  for (const outcome of [{ kind: 'unknown' } as const, new Error('node')])
    expect((await submit(service, outcome)).error).toBeInstanceOf(IntentPendingError);
});
