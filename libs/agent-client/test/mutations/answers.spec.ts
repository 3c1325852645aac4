import { inspect } from 'node:util';
import fc from 'fast-check';
import { answers, type Endpoint } from '../../src/generated/answers.js';
import {
  createAgentClient,
  JourneyError,
  MalformedAnswerError,
  ServiceUnreachableError,
  type AgentClient,
} from '../../src/index.js';
import { chooseVault } from '../../src/journey/choose-vault.js';
import { usdc, vault } from '../support/book.js';
import { at, mutateJson, pathsOf, put } from '../support/mutate-json.js';
import { sampleAnswers } from '../support/sample-answers.js';

const calls: readonly (readonly [Endpoint, (client: AgentClient) => Promise<unknown>])[] = [
  ['POST /v1/yield/discover', (client) => client.discover()],
  ['GET /v1/yield/vaults', (client) => client.vaults()],
  ['GET /v1/yield/vaults/{vaultId}', (client) => client.explain('1')],
  ['POST /v1/yield/prepare', (client) => client.prepare({ agentAddress: vault, vaultId: '1' })],
  ['POST /v1/yield/execute', (client) => client.execute({} as never)],
  ['POST /v1/yield/setup-relay', (client) => client.setupRelay({} as never)],
  ['GET /v1/yield/status', (client) => client.status(vault)],
  ['GET /v1/yield/history', (client) => client.history({ vaultId: '1' })],
  ['POST /v1/testing/fund-wallet', (client) => client.fundWallet({ chain: 'base', walletAddress: vault })],
  ['GET /v1/testing/fork-status', (client) => client.forkStatus()],
  ['GET /health', (client) => client.health()],
];

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
  expect(error).toBeInstanceOf(MalformedAnswerError);
  expect(error).toHaveProperty('endpoint', endpoint);
  expect(error).not.toHaveProperty('cause');
  expect((error as MalformedAnswerError).problem).not.toBe('');
  expectNothingQuoted(error);
}

function expectNothingQuoted(error: unknown): void {
  expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(secret);
}

it('default: what is generated is what the client calls', () => {
  expect(calls.map(([endpoint]) => endpoint).toSorted()).toEqual(Object.keys(answers).toSorted());
});

describe.each(calls)('%s', (endpoint, call) => {
  const samples = sampleAnswers(endpoint);
  const answered = (body: unknown) => outcomeOf(call(clientOf(JSON.stringify(body))));

  it('default: an answer of the interface, and what a later service adds to it', async () => {
    for (const sample of samples) {
      expect(await answered(sample)).toEqual({ body: sample, error: undefined });
      const more = { ...(sample as object), addedLater: { at: 1 } };
      expect(await answered(more)).toEqual({ body: more, error: undefined });
    }
  });

  it('error: every field of another type', async () => {
    for (const sample of samples) {
      for (const path of pathsOf(sample)) {
        // Items of any shape.
        if (path.some((key) => key === 'destinationExecutions' || key === 'eip7702Auth')) continue;
        const other = Array.isArray(at(sample, path)) ? { secret } : [secret];
        const { error } = await answered(put(sample, path, other));
        expectTyped(error, endpoint);
      }
    }
  });

  it('behavior: with one change anywhere it passes as it is, or is refused by name', async () => {
    const counts = { passed: 0, refused: 0 };
    for (const sample of samples) {
      const changes = fc.sample(fc.constantFrom(...mutateJson(sample)), { numRuns: 200, seed: 20_261_122 });
      for (const { document } of changes) {
        const { body, error } = await answered(document);
        if (error === undefined) expect(body).toEqual(document);
        else expectTyped(error, endpoint);
        counts[error === undefined ? 'passed' : 'refused'] += 1;
      }
    }
    expect(counts.passed).toBeGreaterThan(0);
    expect(counts.refused).toBeGreaterThan(50);
  });

  it('behavior: so it is with several random changes', async () => {
    const sample = fc.constantFrom(...samples);
    const value = fc.oneof(fc.jsonValue(), fc.constant(secret), fc.constant({ name: secret }));
    await fc.assert(
      fc.asyncProperty(
        sample,
        fc.infiniteStream(fc.nat()),
        fc.array(value, { minLength: 1, maxLength: 4 }),
        async (body, places, values) => {
          let changed: unknown = body;
          for (const value of values) {
            const paths = pathsOf(changed);
            changed = put(changed, paths[(places.next().value as number) % paths.length]!, value);
          }
          const { error } = await answered(changed);
          if (error !== undefined) expectTyped(error, endpoint);
        },
      ),
      { numRuns: 150, seed: 20_261_122 },
    );
  });

  it('error: half an answer, and what is no JSON', async () => {
    const text = JSON.stringify({ ...(samples[0] as object), addedLater: secret });
    const step = Math.ceil(text.length / 40);
    for (let length = 0; length < text.length; length += step)
      expectTyped((await outcomeOf(call(clientOf(text.slice(0, length))))).error, endpoint);
    for (const other of nonsense)
      for (const status of [200, 201, 402, 404])
        expectTyped((await outcomeOf(call(clientOf(other, status)))).error, endpoint);
  });

  it('error: what answers 5xx in place of the service', async () => {
    for (const other of nonsense)
      for (const status of [500, 502, 503]) {
        const { error } = await outcomeOf(call(clientOf(other, status)));
        expect(error).toBeInstanceOf(ServiceUnreachableError);
        expectNothingQuoted(error);
      }
  });
});

it('behavior: of whatever discover answers, a vault is chosen or nothing, and it is never a raw failure', async () => {
  const [sample] = sampleAnswers('POST /v1/yield/discover');
  const token = { chainId: 8453, address: usdc, symbol: 'USDC', decimals: 6 };
  for (const { document } of mutateJson(sample)) {
    const client = clientOf(JSON.stringify(document));
    const { error } = await outcomeOf(chooseVault({ client, chain: 'base' }, {}, token));
    if (error !== undefined && !(error instanceof JourneyError))
      expectTyped(error, 'POST /v1/yield/discover');
  }
});
