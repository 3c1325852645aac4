import createClient from 'openapi-fetch';
import type { paths } from '../generated/openapi.js';
import type {
  DiscoverRequest,
  DiscoverResponse,
  ExecuteRequest,
  ExecuteResponse,
  ForkStatusResponse,
  FundWalletRequest,
  FundWalletResponse,
  Health,
  HistoryRequest,
  HistoryResponse,
  PrepareRequest,
  PrepareResponse,
  SetupRelayRequest,
  SetupRelayResponse,
  StatusResponse,
  VaultListRequest,
  VaultListResponse,
  VaultReport,
} from '../types.js';
import { createCaller } from './create-caller.js';
import type { Payer } from './payer.js';

// The service answers within 180 s, or says that it is still waiting.
const defaultTimeoutMs = 190_000;
const defaultRetries = 3;

/** Where the service is and how it is called. */
export interface AgentClientOptions {
  /** For example `https://yield.example`. */
  readonly baseUrl: string;
  /** Pays for discover and prepare where the deployment asks for it; without it a 402 is an `ApiError`. */
  readonly payer?: Payer;
  /** How often a request is sent again where that may help; 3 unless given. */
  readonly retries?: number;
  /** Longest time that one answer may take; 190 s unless given. */
  readonly timeoutMs?: number;
  /** In place of the global one. */
  readonly fetch?: (request: Request) => Promise<Response>;
}

/** The endpoints of the service. Every call throws `ApiError`, `ServiceUnreachableError` or `MalformedAnswerError`. */
export interface AgentClient {
  /** Rank vaults. */
  discover(request?: DiscoverRequest): Promise<DiscoverResponse>;
  /** List the whole catalogue. */
  vaults(request?: VaultListRequest): Promise<VaultListResponse>;
  /** Explain every number of a vault. */
  explain(vaultId: string): Promise<VaultReport>;
  /** Build a setup or an intent. Verify the answer before signing it. */
  prepare(request: PrepareRequest): Promise<PrepareResponse>;
  /** Relay a signed setup transaction. The same one again gives the same answer. */
  setupRelay(request: SetupRelayRequest): Promise<SetupRelayResponse>;
  /** Relay a signed intent. The same one again is never submitted twice. */
  execute(request: ExecuteRequest): Promise<ExecuteResponse>;
  /** Show the positions of a wallet. */
  status(userAddress: `0x${string}`): Promise<StatusResponse>;
  /** Show APY and TVL of a vault over time. */
  history(request: HistoryRequest): Promise<HistoryResponse>;
  /** Mint balances on a test fork. Sent again only where nothing was minted. */
  fundWallet(request: FundWalletRequest): Promise<FundWalletResponse>;
  /** Show the test forks. */
  forkStatus(): Promise<ForkStatusResponse>;
  /** Show how the service is. */
  health(): Promise<Health>;
}

/**
 * Make a client of a running service; its types come from the OpenAPI document.
 *
 * @example
 * const client = createAgentClient({ baseUrl: 'http://127.0.0.1:3000' });
 * const { vaults } = await client.discover({ chain: 'base', asset: 'USDC' });
 */
export function createAgentClient(options: AgentClientOptions): AgentClient {
  const { baseUrl, payer, retries = defaultRetries, timeoutMs = defaultTimeoutMs, fetch } = options;
  // A redirect would carry what is signed and paid to somebody else.
  const api = createClient<paths>({ baseUrl, redirect: 'error', ...(fetch && { fetch }) });
  const call = createCaller({ payer, retries, timeoutMs });

  return {
    discover: (body = {}) =>
      call('POST /v1/yield/discover', (init) => api.POST('/v1/yield/discover', { ...init, body })),
    vaults: (query = {}) =>
      call('GET /v1/yield/vaults', (init) => api.GET('/v1/yield/vaults', { ...init, params: { query } })),
    explain: (vaultId) =>
      call('GET /v1/yield/vaults/{vaultId}', (init) =>
        api.GET('/v1/yield/vaults/{vaultId}', { ...init, params: { path: { vaultId } } }),
      ),
    prepare: (body) =>
      call('POST /v1/yield/prepare', (init) => api.POST('/v1/yield/prepare', { ...init, body })),
    setupRelay: (body) =>
      call('POST /v1/yield/setup-relay', (init) => api.POST('/v1/yield/setup-relay', { ...init, body })),
    execute: (body) =>
      call('POST /v1/yield/execute', (init) => api.POST('/v1/yield/execute', { ...init, body })),
    status: (userAddress) =>
      call('GET /v1/yield/status', (init) =>
        api.GET('/v1/yield/status', { ...init, params: { query: { userAddress } } }),
      ),
    history: (query) =>
      call('GET /v1/yield/history', (init) => api.GET('/v1/yield/history', { ...init, params: { query } })),
    fundWallet: (body) =>
      call(
        'POST /v1/testing/fund-wallet',
        (init) => api.POST('/v1/testing/fund-wallet', { ...init, body }),
        'once',
      ),
    forkStatus: () => call('GET /v1/testing/fork-status', (init) => api.GET('/v1/testing/fork-status', init)),
    health: () => call('GET /health', (init) => api.GET('/health', init)),
  };
}
