import { Ajv, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import type {
  DiscoverResponse,
  ExecuteResponse,
  ForkStatusResponse,
  FundWalletResponse,
  HistoryResponse,
  PrepareResponse,
  SetupRelayResponse,
  StatusResponse,
  VaultListResponse,
  VaultReport,
} from '@yield-vault/protocol';
import { valueMismatches } from './value-mismatches.js';

/** The body of an error response. */
export interface ErrorBody {
  readonly statusCode: number;
  readonly error: string;
  readonly code: string;
  readonly detail: string;
  readonly retryable: boolean;
  readonly nextAction: string;
  readonly details: Readonly<Record<string, unknown>>;
  readonly requestId: string;
}

/** A response with its status and headers. */
export interface Answer<Body> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}

/** The part of an OpenAPI document that these tests read. */
interface OpenApiDocument {
  readonly paths: Readonly<
    Record<string, Record<string, { readonly responses: Readonly<Record<string, object>> }>>
  >;
}

/** Options of `fetch` for a POST of JSON; a text is sent as it stands. */
export function jsonPost(body: unknown, headers: Readonly<Record<string, string>> = {}) {
  return {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  };
}

/** Calls the server and compares every response with its OpenAPI document, which tests of the server freeze. */
export interface ApiClient {
  discover(body: object): Promise<DiscoverResponse>;
  prepare(body: object): Promise<PrepareResponse>;
  execute(body: object): Promise<ExecuteResponse>;
  setupRelay(body: object): Promise<SetupRelayResponse>;
  status(userAddress: string): Promise<StatusResponse>;
  history(query: Readonly<Record<string, string>>): Promise<HistoryResponse>;
  vaults(query?: Readonly<Record<string, string>>): Promise<VaultListResponse>;
  explain(vaultId: string): Promise<VaultReport>;
  fundWallet(body: object): Promise<FundWalletResponse>;
  forkStatus(): Promise<ForkStatusResponse>;
  /** Send a request that must be refused. */
  refused(method: 'GET' | 'POST', path: string, body?: unknown): Promise<Answer<ErrorBody>>;
  /** Send any request; the response is checked all the same. */
  call(method: 'GET' | 'POST', path: string, body?: unknown): Promise<Answer<unknown>>;
}

/** Create a client of a running server. */
export async function createApiClient(url: string): Promise<ApiClient> {
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as OpenApiDocument;
  const ajv = new Ajv({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema(document, 'openapi');
  const validators = new Map<string, ValidateFunction | undefined>();
  const patterns = Object.keys(document.paths).map(
    (path) => [path, new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`)] as const,
  );
  /** The path as the document has it. */
  const routeOf = (url: string): string => {
    const path = url.split('?')[0] ?? url;
    return patterns.find(([, pattern]) => pattern.test(path))?.[0] ?? path;
  };

  const validatorOf = (method: string, path: string, status: number): ValidateFunction | undefined => {
    const responses = document.paths[path]?.[method.toLowerCase()]?.responses;
    const isKnown = responses !== undefined;
    if (!isKnown && status < 400) return undefined;
    if (isKnown && !responses[status])
      throw new Error(`${method} ${path} answers ${status}, which /openapi.json does not list`);
    const pointer = [path.replaceAll('/', '~1'), method.toLowerCase(), 'responses', status].join('/');
    const place = isKnown ? `paths/${pointer}/content/application~1json/schema` : 'components/schemas/Error';
    const reference = `openapi#/${place}`;
    if (!validators.has(reference)) validators.set(reference, ajv.compile({ $ref: reference }));
    return validators.get(reference);
  };

  const check = (method: string, path: string, { status, headers, body }: Answer<unknown>) => {
    const problems = valueMismatches(body);
    const validate = validatorOf(method, path, status);
    if (validate && !validate(body)) problems.push(ajv.errorsText(validate.errors));
    if (!headers.get('x-request-id')) problems.push('X-Request-Id is missing');
    if (problems.length > 0)
      throw new Error(
        `${method} ${path} ${status}:\n${problems.join('\n')}\n${JSON.stringify(body, null, 2)}`,
      );
  };

  const call: ApiClient['call'] = async (method, path, body) => {
    const response = await fetch(`${url}${path}`, method === 'POST' ? jsonPost(body) : {});
    const text = await response.text();
    const answer = {
      status: response.status,
      headers: response.headers,
      body: JSON.parse(text) as unknown,
    };
    check(method, routeOf(path), answer);
    return answer;
  };

  const succeed = async <Body>(method: 'GET' | 'POST', path: string, body?: object): Promise<Body> => {
    const answer = await call(method, path, body);
    if (answer.status !== 200) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body, null, 2)}`);
    return answer.body as Body;
  };

  return {
    call,
    refused: async (method, path, body) => {
      const answer = (await call(method, path, body)) as Answer<ErrorBody>;
      if (answer.status < 400)
        throw new Error(`${method} ${path} was accepted: ${JSON.stringify(answer.body)}`);
      expect(answer.body.statusCode).toBe(answer.status);
      expect(answer.body.requestId).toBe(answer.headers.get('x-request-id'));
      return answer;
    },
    discover: (body) => succeed('POST', '/v1/yield/discover', body),
    prepare: (body) => succeed('POST', '/v1/yield/prepare', body),
    execute: (body) => succeed('POST', '/v1/yield/execute', body),
    setupRelay: (body) => succeed('POST', '/v1/yield/setup-relay', body),
    fundWallet: (body) => succeed('POST', '/v1/testing/fund-wallet', body),
    forkStatus: () => succeed('GET', '/v1/testing/fork-status'),
    status: (userAddress) => succeed('GET', `/v1/yield/status?userAddress=${userAddress}`),
    vaults: (query = {}) => succeed('GET', `/v1/yield/vaults?${new URLSearchParams(query).toString()}`),
    explain: (vaultId) => succeed('GET', `/v1/yield/vaults/${vaultId}`),
    history: (query) => succeed('GET', `/v1/yield/history?${new URLSearchParams(query).toString()}`),
  };
}
