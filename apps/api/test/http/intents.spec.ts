import { NotFoundError, type IntentStatus } from '@yield-vault/protocol';
import { examples } from '../../src/openapi/examples.js';
import { buildIntentStatus } from '../support/build-responses.js';
import { expectError, expectViolations } from '../support/expect-error.js';
import { fakeFeatures } from '../support/fake-features.js';
import { useServer } from '../support/start-server.js';

const id = `0x${'ab'.repeat(32)}`;
const { features, calls } = fakeFeatures();
let shown: IntentStatus | NotFoundError;
const server = useServer({
  features: {
    executionRelay: {
      ...features.executionRelay,
      intent: () => (shown instanceof NotFoundError ? Promise.reject(shown) : Promise.resolve(shown)),
    },
  },
});

describe('GET /v1/yield/intents/{intentId}', () => {
  it.each(['confirmed', 'failed', 'expired'] as const)('default: %s is final', async (state) => {
    shown = buildIntentStatus({ state });
    const response = await server.get(`/v1/yield/intents/${id}`);
    expect([response.statusCode, response.headers['retry-after']]).toEqual([200, undefined]);
    expect(response.json()).toEqual(shown);
  });

  it.each(['reserved', 'simulated', 'submitted', 'included'] as const)(
    'default: %s is open, so the caller polls after a second',
    async (state) => {
      shown = buildIntentStatus({ state, result: null, txHash: null });
      const response = await server.get(`/v1/yield/intents/${id}`);
      expect([response.statusCode, response.headers['retry-after']]).toEqual([200, '1']);
      expect(response.json()).toEqual(shown);
    },
  );

  it('behavior: a duplicate names the submitted intent', async () => {
    shown = buildIntentStatus({ duplicateOf: examples.hash32 as `0x${string}` });
    expect((await server.get(`/v1/yield/intents/${id}`)).json()).toEqual(shown);
  });

  it('behavior: a failure is shortened as an error body is', async () => {
    const long = 'x'.repeat(5_000);
    shown = buildIntentStatus({
      state: 'failed',
      failure: {
        code: 'TRANSACTION_SUBMISSION_FAILED',
        detail: long,
        details: { revertReason: long },
        nextAction: 'Wait.',
      },
    });
    const { failure } = (await server.get(`/v1/yield/intents/${id}`)).json<IntentStatus>();
    expect(failure?.detail).toHaveLength(1_001);
    expect(failure?.details['revertReason']).toHaveLength(1_001);
  });

  it('error: NotFoundError for an id that the ledger does not know', async () => {
    shown = new NotFoundError({ detail: 'No intent was executed here.' });
    expectError(await server.get(`/v1/yield/intents/${id}`), 404, 'NOT_FOUND');
  });

  it.each(['0x12', 'abc', `${id}0`])('error: InvalidParametersError for %s', async (malformed) => {
    expectViolations(await server.get(`/v1/yield/intents/${malformed}`), ['intentId']);
  });

  it('error: InvalidParametersError for a query', async () => {
    expectViolations(await server.get(`/v1/yield/intents/${id}?x=1`), ['x']);
  });
});

describe('GET /v1/yield/intents', () => {
  const wallet = examples.agentAddress;

  it('default: twenty intents', async () => {
    const response = await server.get(`/v1/yield/intents?wallet=${wallet.toLowerCase()}`);
    expect(response.statusCode).toBe(200);
    expect(response.json()).toEqual({ wallet, count: 1, intents: [buildIntentStatus()], nextCursor: null });
    expect(calls.intents.at(-1)).toEqual({ wallet, limit: 20 });
  });

  it('behavior: passes cursor and state on', async () => {
    await server.get(`/v1/yield/intents?wallet=${wallet}&limit=1&cursor=abc&state=failed`);
    expect(calls.intents.at(-1)).toEqual({ wallet, limit: 1, cursor: 'abc', state: 'failed' });
  });

  it.each([
    ['no wallet', '', 'wallet'],
    ['a wallet of 39 digits', `wallet=${wallet.slice(0, -1)}`, 'wallet'],
    ['limit 0', `wallet=${wallet}&limit=0`, 'limit'],
    ['limit 51', `wallet=${wallet}&limit=51`, 'limit'],
    ['an unknown state', `wallet=${wallet}&state=lost`, 'state'],
    ['an empty cursor', `wallet=${wallet}&cursor=`, 'cursor'],
    ['an unknown parameter', `wallet=${wallet}&chain=base`, 'chain'],
  ])('error: InvalidParametersError for %s', async (_name, query, field) => {
    expectViolations(await server.get(`/v1/yield/intents?${query}`), [field]);
  });
});
