import { inspect } from 'node:util';
import {
  createAgentClient,
  FlowError,
  MalformedResponseError,
  ServiceUnreachableError,
  type AgentClient,
} from '../../src/index.js';
import { chooseVault } from '../../src/flow/run.js';
import { endpoints, problemOf, type Endpoint } from '../../src/http/response-shapes.js';
import { usdc, vault } from '../support/book.js';
import { at, mutateJson, pathsOf, put } from '../support/mutate-json.js';
import { sampleResponses } from '../support/sample-responses.js';

/** Each endpoint, its call, and what the call requests if that is more than the endpoint. */
const calls: readonly (readonly [Endpoint, (client: AgentClient) => Promise<unknown>, request?: string])[] = [
  ['POST /v1/yield/discover', (client) => client.discover()],
  ['GET /v1/yield/chains', (client) => client.chains()],
  ['GET /v1/yield/vaults', (client) => client.vaults()],
  ['GET /v1/yield/vaults/{vaultId}', (client) => client.explain('1'), 'GET /v1/yield/vaults/1'],
  [
    'GET /v1/yield/vaults/{vaultId}/quote',
    (client) => client.quote({ vaultId: '1', amount: '25' }),
    'GET /v1/yield/vaults/1/quote?amount=25',
  ],
  [
    'GET /v1/yield/vaults/{vaultId}/alternatives',
    (client) => client.alternatives({ vaultId: '1', amount: '25' }),
    'GET /v1/yield/vaults/1/alternatives?amount=25',
  ],
  ['POST /v1/yield/prepare', (client) => client.prepare({ agentAddress: vault, vaultId: '1' })],
  ['POST /v1/yield/gasless-setup', (client) => client.gaslessSetup({} as never)],
  [
    'GET /v1/yield/calls',
    (client) =>
      client.calls({ operation: 'deposit', chain: 'base', from: vault, vaultId: '1', amount: '25' }),
    `GET /v1/yield/calls?operation=deposit&chain=base&from=${vault}&vaultId=1&amount=25`,
  ],
  ['POST /v1/yield/execute', (client) => client.execute({} as never)],
  ['POST /v1/yield/setup-relay', (client) => client.setupRelay({} as never)],
  ['GET /v1/yield/intents/{intentId}', (client) => client.intent('0x12'), 'GET /v1/yield/intents/0x12'],
  [
    'GET /v1/yield/intents',
    (client) => client.intents({ wallet: vault, limit: 5 }),
    `GET /v1/yield/intents?wallet=${vault}&limit=5`,
  ],
  ['POST /v1/yield/status/batch', (client) => client.statusBatch([vault])],
  ['GET /v1/yield/status', (client) => client.status(vault), `GET /v1/yield/status?userAddress=${vault}`],
  ['POST /v1/yield/status/batch', (client) => client.statusBatch([vault])],
  [
    'GET /v1/yield/history',
    (client) => client.history({ vaultId: '1', period: '7d' }),
    'GET /v1/yield/history?vaultId=1&period=7d',
  ],
  ['POST /v1/testing/fund-wallet', (client) => client.fundWallet({ chain: 'base', walletAddress: vault })],
  ['GET /v1/testing/fork-status', (client) => client.forkStatus()],
  ['GET /health', (client) => client.health()],
];

/** Whether a field of another type could mislead a decision about money. Documents to sign are verified elsewhere. */
const isMoney = (endpoint: Endpoint, path: string) => {
  if (/^(execution\.intentEnvelope|setup|setupTicket|gaslessSetup|data|explanation)\./.test(path))
    return false;
  const name = path.split('.').at(-1)!;
  return (
    /^(vaultId|vaultAddress|asset|amount|token|sharePrice|tvlUsd|apy|now|week|month|score|txHash|userOpHash)$/.test(
      name,
    ) ||
    /(Wei|BaseUnits|Delta|Amount|Value|Yield|Usd|Deposited|Price)$/.test(name) ||
    (/prepare|gasless-setup|execute|setup-relay/.test(endpoint) &&
      /^(needsSetup|execution|result|minOut|quotedOut)$/.test(name))
  );
};

const secret = 'the-body-says-this';

/** What no endpoint answers. */
const nonsense = [
  `<html>${secret}</html>`,
  '',
  `"${secret}"`,
  'null',
  '[]',
  '{}',
  '1e999',
  JSON.stringify({ message: secret }),
];

/** A client of something that answers every request with the same text. */
const clientOf = (text: string, status = 200) =>
  createAgentClient({
    baseUrl: 'http://service.test',
    retries: 0,
    fetch: () => Promise.resolve(new Response(text, { status })),
  });

const outcomeOf = (call: Promise<unknown>) =>
  call.then(
    (body) => ({ body, error: undefined }),
    (error: unknown) => ({ body: undefined, error }),
  );

function expectTyped(error: unknown, endpoint: Endpoint): void {
  expect(error).toBeInstanceOf(MalformedResponseError);
  expect(error).toHaveProperty('endpoint', endpoint);
  expect(error).not.toHaveProperty('cause');
  expect(error).toHaveProperty('nextAction', expect.stringContaining('baseUrl'));
  expectNothingQuoted(error);
}

function expectNothingQuoted(error: unknown): void {
  expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(secret);
}

it('default: every endpoint of the client has a shape', () => {
  expect(calls.map(([endpoint]) => endpoint).toSorted()).toEqual(endpoints.toSorted());
});

describe.each(calls.map(([endpoint, call, request = endpoint]) => ({ endpoint, call, request })))(
  '$endpoint',
  ({ endpoint, call, request }) => {
    const samples = sampleResponses(endpoint);
    const answered = (body: unknown) => outcomeOf(call(clientOf(JSON.stringify(body))));

    it('default: requests its path and query', async () => {
      const fetch = jest.fn((_: Request) => Promise.reject(new TypeError()));
      await outcomeOf(call(createAgentClient({ baseUrl: 'http://service.test/', retries: 0, fetch })));
      const [[{ method, url }]] = fetch.mock.calls as [[Request]];
      expect(`${method} ${url}`).toBe(request.replace(' ', ' http://service.test'));
    });

    it('default: a response of the interface, and fields that a later service adds', async () => {
      for (const sample of samples) {
        expect(await answered(sample)).toEqual({ body: sample, error: undefined });
        const more = { ...(sample as object), addedLater: { at: 1 } };
        expect(await answered(more)).toEqual({ body: more, error: undefined });
      }
    });

    it('error: every checked field of another type', async () => {
      const unchecked = new Set<string>();
      for (const sample of samples) {
        for (const path of pathsOf(sample)) {
          const other = Array.isArray(at(sample, path)) ? { secret } : [secret];
          const changed = put(sample, path, other);
          if (problemOf(endpoint, changed) === undefined) unchecked.add(path.join('.'));
          else {
            const { error } = await answered(changed);
            expectTyped(error, endpoint);
            expect((error as MalformedResponseError).problem).toMatch(`${path.join('.') || 'the body'}: `);
          }
        }
      }
      expect([...unchecked].filter((path) => isMoney(endpoint, path))).toEqual([]);
    });

    it('behavior: values that a later service adds to a list of names', async () => {
      const named = [
        'tier',
        'level',
        'rating',
        'status',
        'result',
        'relayMode',
        'setupType',
        'strategy',
        'period',
      ];
      for (const sample of samples) {
        for (const path of pathsOf(sample)) {
          if (!named.includes(String(path.at(-1))) || typeof at(sample, path) !== 'string') continue;
          expect((await answered(put(sample, path, 'added-later'))).error).toBeUndefined();
        }
      }
    });

    it('error: half a response, and invalid JSON', async () => {
      const text = JSON.stringify({ ...(samples[0] as object), addedLater: secret });
      const step = Math.ceil(text.length / 40);
      for (let length = 0; length < text.length; length += step)
        expectTyped((await outcomeOf(call(clientOf(text.slice(0, length))))).error, endpoint);
      for (const other of nonsense)
        for (const status of [200, 201, 402, 404])
          expectTyped((await outcomeOf(call(clientOf(other, status)))).error, endpoint);
    });

    it('error: a 5xx response of another server', async () => {
      for (const other of nonsense)
        for (const status of [500, 502, 503]) {
          const { error } = await outcomeOf(call(clientOf(other, status)));
          expect(error).toBeInstanceOf(ServiceUnreachableError);
          expectNothingQuoted(error);
        }
    });
  },
);

it('behavior: for any response of discover a vault is chosen or none, without a raw failure', async () => {
  const [sample] = sampleResponses('POST /v1/yield/discover');
  const token = { chainId: 8453, address: usdc, symbol: 'USDC', decimals: 6 };
  for (const { document } of mutateJson(sample)) {
    const client = clientOf(JSON.stringify(document));
    const { error } = await outcomeOf(chooseVault({ client, chain: 'base' }, {}, token));
    if (error !== undefined && !(error instanceof FlowError)) expectTyped(error, 'POST /v1/yield/discover');
  }
});
