import type { OpenAPIObject } from '@nestjs/swagger';
import type { PrepareResponse } from '@yield-vault/protocol';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formatsModule from 'ajv-formats';
import { examples } from '../../src/openapi/examples.js';
import { buildPayments, paymentsOn } from '../support/build-payments.js';
import {
  buildDeposit,
  buildExecute,
  buildGasless,
  buildRedeem,
  buildSetupRelay,
} from '../support/build-requests.js';
import {
  buildDepositResponse,
  buildRebalanceResponse,
  buildRebalanceSetupResponse,
  buildRedeemResponse,
  buildGaslessSetup,
  buildSetupResponse,
  buildVaultCandidate,
} from '../support/build-responses.js';
import { startServer, type TestServer } from '../support/start-server.js';
import { expectOk } from '../support/expect-error.js';

let server: TestServer;
let document: OpenAPIObject;
let ajv: Ajv2020;
let prepared: PrepareResponse = buildSetupResponse();

beforeAll(async () => {
  server = await startServer({ features: { intents: { prepare: () => Promise.resolve(prepared) } } });
  document = (await server.get('/openapi.json')).json();
  ajv = new Ajv2020({ strict: false, allErrors: true });
  formatsModule.default(ajv);
  ajv.addSchema(document, 'api');
});
afterAll(() => server.close());

const pointer = (...steps: string[]) =>
  `api#/${steps.map((step) => encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')}`;

/** Problems of a JSON value by the schema of a documented response. */
function problems(method: string, path: string, status: number, json: unknown): unknown {
  const place = pointer(
    'paths',
    path,
    method,
    'responses',
    String(status),
    'content',
    'application/json',
    'schema',
  );
  const validate = ajv.compile({ $ref: place });
  return validate(json) ? [] : validate.errors;
}

function requestProblems(path: string, json: unknown): unknown {
  const place = pointer('paths', path, 'post', 'requestBody', 'content', 'application/json', 'schema');
  const validate = ajv.compile({ $ref: place });
  return validate(json) ? [] : validate.errors;
}

function expectFollows(method: string, path: string, response: Awaited<ReturnType<TestServer['get']>>): void {
  expectOk(response);
  expect(problems(method, path, 200, response.json())).toEqual([]);
}

describe('answers follow the document', () => {
  it.each([
    ['setup', buildSetupResponse({ gaslessSetup: buildGaslessSetup({ authorization: null }) })],
    ['setup for a rebalance', buildRebalanceSetupResponse()],
    ['deposit', buildDepositResponse()],
    ['redeem', buildRedeemResponse()],
    ['rebalance', buildRebalanceResponse()],
  ])('POST /v1/yield/prepare: %s', async (_name, response) => {
    prepared = response;
    const { statusCode, json } = await server.post('/v1/yield/prepare', buildDeposit());
    expect(statusCode).toBe(200);
    expect(json()).toEqual(response);
    expect(problems('post', '/v1/yield/prepare', 200, json())).toEqual([]);
  });

  it('the other routes', async () => {
    const fundWallet = { chain: 'base', walletAddress: examples.testWallet, ethWei: '1' };
    const wallet = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
    const posts: [string, object][] = [
      ['/v1/yield/execute', buildExecute()],
      ['/v1/yield/discover', {}],
      ['/v1/yield/status/batch', { userAddresses: [wallet] }],
      ['/v1/yield/gasless-setup', buildGasless()],
      ['/v1/yield/setup-relay', buildSetupRelay()],
      ['/v1/testing/fund-wallet', fundWallet],
    ];
    const gets: [string, string?][] = [
      ['/v1/yield/intents', `/v1/yield/intents?wallet=${wallet}`],
      ['/v1/yield/intents/{intentId}', `/v1/yield/intents/0x${'12'.repeat(32)}`],
      ['/v1/yield/status', `/v1/yield/status?userAddress=${wallet}`],
      ['/v1/yield/history', '/v1/yield/history?vaultId=1'],
      ['/v1/yield/chains'],
      ['/v1/yield/vaults'],
      ['/v1/yield/vaults/{vaultId}', '/v1/yield/vaults/1'],
      ['/v1/yield/vaults/{vaultId}/quote', '/v1/yield/vaults/1/quote?amount=1'],
      ['/v1/yield/vaults/{vaultId}/alternatives', '/v1/yield/vaults/1/alternatives?amount=1'],
      ['/v1/testing/fork-status'],
      ['/health'],
      ['/health/ready'],
    ];
    for (const [path, body] of posts) expectFollows('post', path, await server.post(path, body));
    for (const [path, url = path] of gets) expectFollows('get', path, await server.get(url));
  });

  it('GET /.well-known/x402, where payments are enforced', async () => {
    const { payments } = await buildPayments();
    const paid = await startServer({ settings: { payments: paymentsOn }, features: { payments } });
    const response = await paid.get('/.well-known/x402');
    // The document of a server without payments does not have the route.
    ajv.addSchema((await paid.get('/openapi.json')).json(), 'paid');
    await paid.close();
    expect(response.statusCode).toBe(200);
    const validate = ajv.compile({ $ref: 'paid#/components/schemas/Prices' });
    expect(validate(response.json()) ? [] : validate.errors).toEqual([]);
  });

  it('error responses', async () => {
    const answers = [
      ['post', '/v1/yield/discover', await server.post('/v1/yield/discover', { limit: 0 })],
      ['post', '/v1/yield/prepare', await server.post('/v1/yield/prepare', buildDeposit({ chain: 'x' }))],
      ['post', '/v1/yield/execute', await server.postRaw('/v1/yield/execute', '{')],
      [
        'post',
        '/v1/yield/execute',
        await server.postRaw('/v1/yield/execute', '{}', { 'content-type': 'text/xml' }),
      ],
      ['post', '/v1/yield/execute', await server.postRaw('/v1/yield/execute', 'x'.repeat(300_000))],
      ['get', '/v1/yield/status', await server.get('/v1/yield/status')],
      ['post', '/v1/testing/fund-wallet', await server.post('/v1/testing/fund-wallet', {})],
      ['get', '/v1/testing/fork-status', await server.get('/v1/testing/fork-status?a=b')],
    ] as const;
    expect(answers.map(([, , { statusCode }]) => statusCode)).toEqual([
      400, 400, 400, 415, 413, 400, 400, 400,
    ]);
    for (const [method, path, response] of answers) {
      expect(problems(method, path, response.statusCode, response.json())).toEqual([]);
    }
  });
});

describe('the document refuses', () => {
  it.each<[string, object]>([
    ['a field too many', { extra: 1 }],
    ['a field of another type', { vaultId: 1 }],
    ['an unknown word', { tier: 'best' }],
    ['a missing field', { tier: undefined }],
  ])('%s', (_name, change) => {
    const vault: unknown = JSON.parse(JSON.stringify({ ...buildVaultCandidate(), ...change }));
    const json = { chain: 'base', chainId: 8453, strategy: 'balanced', count: 1, vaults: [vault] };
    expect(problems('post', '/v1/yield/discover', 200, json)).not.toEqual([]);
  });

  it('an execution with a setup beside it', () => {
    const json = { ...buildDepositResponse(), setup: buildSetupResponse().setup };
    expect(problems('post', '/v1/yield/prepare', 200, json)).not.toEqual([]);
  });
});

describe('examples of responses', () => {
  it('every variant of prepare has one that follows the document', () => {
    const response = document.paths['/v1/yield/prepare']?.post?.responses['200'];
    if (!response || '$ref' in response) throw new Error('no response');
    const examples = response.content?.['application/json']?.examples ?? {};
    expect(Object.keys(examples)).toEqual([
      'PrepareSetupResponse',
      'PrepareDepositResponse',
      'PrepareRedeemResponse',
      'PrepareRebalanceResponse',
    ]);
    for (const example of Object.values(examples)) {
      expect(problems('post', '/v1/yield/prepare', 200, (example as { value: unknown }).value)).toEqual([]);
    }
  });
});

/** Parameters of paths and queries that must be given. */
function requiredParameters() {
  return Object.entries(document.paths).flatMap(([path, { get, post }]) =>
    [get, post].flatMap((operation) =>
      (operation?.parameters ?? []).flatMap((parameter) =>
        '$ref' in parameter || !parameter.required || parameter.in === 'header'
          ? []
          : [{ name: `${path}: ${parameter.name}`, schema: parameter.schema ?? {} }],
      ),
    ),
  );
}

describe('requests', () => {
  it('every parameter that must be given has an example that follows its own schema', () => {
    const parameters = requiredParameters();
    expect(parameters.map(({ name }) => name)).toEqual([
      '/v1/yield/vaults/{vaultId}: vaultId',
      '/v1/yield/vaults/{vaultId}/quote: vaultId',
      '/v1/yield/vaults/{vaultId}/quote: amount',
      '/v1/yield/vaults/{vaultId}/alternatives: vaultId',
      '/v1/yield/vaults/{vaultId}/alternatives: amount',
      '/v1/yield/calls: vaultId',
      '/v1/yield/calls: from',
      '/v1/yield/intents: wallet',
      '/v1/yield/intents/{intentId}: intentId',
      '/v1/yield/status: userAddress',
      '/v1/yield/history: vaultId',
    ]);
    for (const { name, schema } of parameters) {
      const { example } = schema as { example?: unknown };
      expect([name, ajv.validate(schema, example)]).toEqual([name, true]);
    }
  });

  it('requests of tests are valid by the document', () => {
    expect(requestProblems('/v1/yield/discover', {})).toEqual([]);
    expect(requestProblems('/v1/yield/prepare', buildDeposit())).toEqual([]);
    expect(requestProblems('/v1/yield/prepare', buildRedeem())).toEqual([]);
    expect(requestProblems('/v1/yield/execute', buildExecute())).toEqual([]);
    expect(requestProblems('/v1/yield/setup-relay', buildSetupRelay())).toEqual([]);
  });

  it.each(['/v1/yield/execute', '/v1/yield/setup-relay'])(
    'the example of %s has their form',
    async (path) => {
      const body = document.paths[path]?.post?.requestBody;
      if (!body || '$ref' in body) throw new Error('no request body');
      const example: unknown = body.content['application/json']?.example;
      expect(requestProblems(path, example)).toEqual([]);
      expectOk(await server.post(path, example));
      expect(JSON.stringify(example)).not.toContain('eip7702');
    },
  );

  it('every example of the document is accepted by document and server', async () => {
    for (const path of ['/v1/yield/discover', '/v1/yield/prepare', '/v1/testing/fund-wallet']) {
      const body = document.paths[path]?.post?.requestBody;
      if (!body || '$ref' in body) throw new Error('no request body');
      const examples = body.content['application/json']?.examples ?? {};
      expect(Object.keys(examples).length).toBeGreaterThan(1);
      for (const example of Object.values(examples)) {
        const { value } = example as { value: unknown };
        expect(requestProblems(path, value)).toEqual([]);
        expectOk(await server.post(path, value));
      }
    }
  });
});
