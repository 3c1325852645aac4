import * as protocol from '@yield-vault/protocol';
import {
  errorCatalogue,
  ForksNotConfiguredError,
  ServiceError,
  TransactionSubmissionError,
  UpstreamUnavailableError,
  type ErrorCode,
  type ErrorResponse,
} from '@yield-vault/protocol';
import { errorStatus } from '@yield-vault/server';
import { buildDeposit } from '../support/build-requests.js';
import { expectError } from '../support/expect-error.js';
import { useServer } from '../support/start-server.js';

let thrown: unknown;
const server = useServer({
  features: { intents: { prepare: () => Promise.reject(thrown as Error) } },
});

const prepareThrowing = (error: unknown) => {
  thrown = error;
  return server.post('/v1/yield/prepare', buildDeposit());
};

type ErrorClass = new (options: protocol.ServiceErrorOptions) => ServiceError;
const errorClasses = (Object.values(protocol) as unknown[]).filter(
  (value): value is ErrorClass =>
    typeof value === 'function' && value !== ServiceError && value.prototype instanceof ServiceError,
);

describe('the error body', () => {
  it.each(errorClasses.map((errorClass) => [errorClass.name, errorClass] as const))(
    'behavior: %s has its status, sentence and cure',
    async (_name, errorClass) => {
      const error = new errorClass({ detail: 'What was wrong.', details: { some: 'thing' } });
      const response = await prepareThrowing(error);
      const body = expectError(response, errorStatus[error.code], error.code);
      expect(body).toMatchObject({
        ...errorCatalogue[error.code],
        detail: 'What was wrong.',
        details: { some: 'thing' },
      });
    },
  );

  it('behavior: an occurrence may override cure and Retry-After', async () => {
    const response = await prepareThrowing(
      new UpstreamUnavailableError({
        detail: 'd',
        nextAction: 'Wait.',
        retryAfterSeconds: 2.2,
      }),
    );
    expect(expectError(response, 503, 'UPSTREAM_UNAVAILABLE').nextAction).toBe('Wait.');
    expect(response.headers['retry-after']).toBe('3');
  });

  it('behavior: a 503 that waiting does not cure has no Retry-After', async () => {
    const response = await prepareThrowing(new ForksNotConfiguredError({ detail: 'd' }));
    expect(expectError(response, 503, 'FORKS_NOT_CONFIGURED').retryable).toBe(false);
    expect(response.headers['retry-after']).toBeUndefined();
  });

  it.each(
    errorClasses
      .map((errorClass) => new errorClass({ detail: 'd' }))
      .filter(({ code, retryable }) => retryable && [429, 503].includes(errorStatus[code])),
  )('behavior: %p carries Retry-After', async (error) => {
    const response = await prepareThrowing(error);
    expect(Number(response.headers['retry-after'])).toBeGreaterThanOrEqual(1);
  });

  it('behavior: a submission that may succeed later is 503 with Retry-After', async () => {
    const response = await prepareThrowing(new TransactionSubmissionError({ detail: 'd', retryable: true }));
    expect(expectError(response, 503, 'TRANSACTION_SUBMISSION_FAILED').retryable).toBe(true);
    expect(response.headers['retry-after']).toBe('5');
  });

  it.each([
    ['an error', new Error('password=hunter2')],
    ['a type error', new TypeError('x is not a function')],
    ['a text', 'password=hunter2'],
    ['nothing', undefined],
    ['an error with a status of its own', Object.assign(new Error('password=hunter2'), { statusCode: 400 })],
    [
      'an error with a code of its own',
      Object.assign(new Error('password=hunter2'), { code: 'ECONNREFUSED' }),
    ],
  ])('error: InternalError for %s, the cause in the log only', async (_name, error) => {
    server.logged.length = 0;
    const response = await prepareThrowing(error);
    const body = expectError(response, 500, 'INTERNAL');
    expect(body.detail).toBe('The request failed unexpectedly.');
    expect(response.body).not.toContain('hunter2');
    const line = server.logged.find(({ msg }) => msg === 'request failed');
    expect(line).toMatchObject({ requestId: body.requestId, code: 'INTERNAL', level: 50 });
    if (error instanceof Error) expect(JSON.stringify(line)).toContain(error.message);
  });

  it('behavior: every code of the catalogue has a status', () => {
    expect(Object.keys(errorStatus).sort()).toEqual(Object.keys(errorCatalogue).sort());
  });

  it('behavior: statuses follow the interface decisions', () => {
    const byStatus: Record<number, ErrorCode[]> = {};
    for (const [code, status] of Object.entries(errorStatus))
      (byStatus[status] ??= []).push(code as ErrorCode);
    expect(byStatus).toEqual({
      400: [
        'INVALID_PARAMETERS',
        'CHAIN_NOT_ACTIVE',
        'UNKNOWN_VAULT',
        'ASSET_MISMATCH',
        'VAULT_AT_CAPACITY',
        'DEPOSIT_CAP_REACHED',
        'INSUFFICIENT_BALANCE',
        'NO_SUITABLE_VAULTS',
        'SETUP_TICKET_REJECTED',
        'SETUP_TRANSACTION_REJECTED',
        'ALREADY_SET_UP',
        'SETUP_TRANSACTION_REVERTED',
        'TRANSACTION_VALIDATION_FAILED',
        'PREFLIGHT_SIMULATION_FAILED',
        'TRANSACTION_SUBMISSION_FAILED',
        'TESTING_CAP_EXCEEDED',
      ],
      401: ['UNAUTHORIZED'],
      402: ['PAYMENT_REQUIRED'],
      403: ['WALLET_NOT_ALLOWED'],
      404: ['NOT_FOUND'],
      409: ['PAYMENT_IN_USE'],
      413: ['BODY_TOO_LARGE'],
      415: ['UNSUPPORTED_MEDIA_TYPE'],
      429: ['RATE_LIMIT_EXCEEDED'],
      500: ['INTERNAL'],
      503: [
        'DEPOSITS_PAUSED',
        'FORKS_NOT_CONFIGURED',
        'FORK_NOT_RUNNING',
        'UPSTREAM_UNAVAILABLE',
        'TRANSACTION_PENDING',
        'DATA_STALE',
        'FORK_CAPACITY',
        'FUNDING_FAILED',
      ],
    });
  });
});

describe('unknown routes', () => {
  it.each([
    ['POST', '/'],
    ['GET', '/package.json'],
    ['GET', '/v1'],
    ['GET', '/v1/yield/discover'],
    ['GET', '/v1/yield/discover/'],
    ['POST', '/v1/yield/status'],
    ['PUT', '/v1/yield/discover'],
    ['PATCH', '/health'],
    ['DELETE', '/health'],
    ['POST', '/health'],
    ['GET', '/v1/yield//discover'],
    ['GET', '/V1/YIELD/STATUS'],
    ['GET', '/%zz'],
    ['GET', '/../etc/passwd'],
    ['GET', '/docs/../../package.json'],
    ['GET', '/docs/%2e%2e/package.json'],
    ['POST', '/v1/testing/fork-status'],
    ['POST', '/nowhere?x=1'],
    ['POST', '/v1/yield/discover/?x=1'],
    ['GET', '/nowhere?x=1'],
    ['GET', '/v1/testing/fund-wallet'],
    ['GET', '/v1/testing'],
  ] as const)('error: NotFoundError for %s %s', async (method, url) => {
    expectError(await server.app.inject({ method, url }), 404, 'NOT_FOUND');
  });

  it('error: NotFoundError even when the body cannot be read', async () => {
    expectError(await server.postRaw('/nowhere', '{'), 404, 'NOT_FOUND');
  });

  it.each(['/v1/yield/discover', '/health', '/nowhere', '*'])(
    'error: NotFoundError for a preflight of %s, without CORS headers',
    async (url) => {
      const response = await server.app.inject({
        method: 'OPTIONS',
        url,
        headers: { origin: 'https://example.org', 'access-control-request-method': 'POST' },
      });
      expectError(response, 404, 'NOT_FOUND');
      expect(response.headers['x-request-id']).toBe(response.json<ErrorResponse>().requestId);
      expect(Object.keys(response.headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
    },
  );

  it('behavior: no CORS headers on responses either', async () => {
    for (const url of ['/health', '/openapi.json', '/docs']) {
      const { headers } = await server.get(url, { origin: 'https://example.org' });
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
    }
  });
});

describe('headers against browsers', () => {
  it.each([
    ['GET', '/health'],
    ['GET', '/openapi.json'],
    ['GET', '/llms.txt'],
    ['GET', '/metrics'],
    ['GET', '/nowhere'],
    ['GET', '/%zz'],
    ['OPTIONS', '/health'],
    ['POST', '/v1/yield/discover'],
  ] as const)('behavior: %s %s is what it says to be, and no page frames it', async (method, url) => {
    const { headers } = await server.app.inject({ method, url });
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringContaining("frame-ancestors 'none'") as string,
    });
  });
});

describe('X-Request-Id', () => {
  it('behavior: a safe one is echoed and logged', async () => {
    server.logged.length = 0;
    const response = await server.get('/v1/yield/history?vaultId=1', { 'x-request-id': 'agent-7:call_1.a' });
    expect(response.headers['x-request-id']).toBe('agent-7:call_1.a');
    expect(server.logged.find(({ msg }) => msg === 'request')).toMatchObject({
      requestId: 'agent-7:call_1.a',
    });
  });

  it.each(['', 'a b', 'a"b', 'x'.repeat(129), 'a,b', '<script>', 'ü'])(
    'behavior: %p is replaced',
    async (given) => {
      const { headers } = await server.get('/health', { 'x-request-id': given });
      expect(headers['x-request-id']).toMatch(/^[0-9a-f]{8}-[0-9a-f-]{27}$/);
    },
  );

  it('behavior: every response has its own', async () => {
    const [first, second] = [await server.get('/health'), await server.get('/health')];
    expect(first.headers['x-request-id']).not.toBe(second.headers['x-request-id']);
  });
});
