import type {
  ChainsResponse,
  DiscoverRequest,
  DiscoverResponse,
  ExecuteRequest,
  ExecuteResponse,
  ForkStatusResponse,
  FundWalletRequest,
  FundWalletResponse,
  GaslessSetupRequest,
  Health,
  HistoryRequest,
  HistoryResponse,
  IntentListRequest,
  IntentListResponse,
  IntentStatus,
  PrepareExecutionResponse,
  PrepareRequest,
  PrepareResponse,
  SetupRelayRequest,
  SetupRelayResponse,
  StatusResponse,
  VaultListRequest,
  VaultListResponse,
  VaultReport,
} from '../types.js';
import { createCaller, type AgentClientOptions } from './create-caller.js';

/** The endpoints of the service. Each throws `ApiError`, `ServiceUnreachableError` or `MalformedResponseError`. */
export interface AgentClient {
  /** Rank vaults. */
  discover(request?: DiscoverRequest): Promise<DiscoverResponse>;
  /** Show the active chains: contracts, assets, lifetime of intents. `verify` takes addresses from its own book. */
  chains(): Promise<ChainsResponse>;
  /** List the whole catalogue. */
  vaults(request?: VaultListRequest): Promise<VaultListResponse>;
  /** Explain every number of a vault. */
  explain(vaultId: string): Promise<VaultReport>;
  /** Build a setup or an intent. Verify the response before you sign it. */
  prepare(request: PrepareRequest): Promise<PrepareResponse>;
  /** Complete a deposit that sets its wallet up without ether. Nothing is stored. Verify the response before you sign it. */
  gaslessSetup(request: GaslessSetupRequest): Promise<PrepareExecutionResponse>;
  /** Relay a signed setup transaction. The same one again gives the same response. */
  setupRelay(request: SetupRelayRequest): Promise<SetupRelayResponse>;
  /** Relay a signed intent. The same one again is never submitted twice. */
  execute(request: ExecuteRequest): Promise<ExecuteResponse>;
  /** Show an intent that was executed. Its state is final when it is `confirmed`, `failed` or `expired`. */
  intent(intentId: `0x${string}`): Promise<IntentStatus>;
  /** List the intents of a wallet that were submitted, newest first. */
  intents(request: IntentListRequest): Promise<IntentListResponse>;
  /** Show the positions of a wallet. */
  status(userAddress: `0x${string}`): Promise<StatusResponse>;
  /** Show APY and TVL of a vault over time. */
  history(request: HistoryRequest): Promise<HistoryResponse>;
  /** Mint balances on a test fork. Sent again only where nothing was minted. */
  fundWallet(request: FundWalletRequest): Promise<FundWalletResponse>;
  /** Show the test forks. */
  forkStatus(): Promise<ForkStatusResponse>;
  /** Show the health of the service. */
  health(): Promise<Health>;
}

/**
 * Create a client of a running service.
 *
 * @example
 * const client = createAgentClient({ baseUrl: 'http://127.0.0.1:3000' });
 * const { vaults } = await client.discover({ chain: 'base', asset: 'USDC' });
 */
export function createAgentClient(options: AgentClientOptions): AgentClient {
  const call = createCaller(options);

  return {
    discover: (body = {}) => call('POST /v1/yield/discover', { body }),
    chains: () => call('GET /v1/yield/chains'),
    vaults: (query = {}) => call('GET /v1/yield/vaults', { query }),
    explain: (vaultId) => call('GET /v1/yield/vaults/{vaultId}', { id: vaultId }),
    prepare: (body) => call('POST /v1/yield/prepare', { body }),
    gaslessSetup: (body) => call('POST /v1/yield/gasless-setup', { body }),
    setupRelay: (body) => call('POST /v1/yield/setup-relay', { body }),
    execute: (body) => call('POST /v1/yield/execute', { body }),
    intent: (intentId) => call('GET /v1/yield/intents/{intentId}', { id: intentId }),
    intents: (query) => call('GET /v1/yield/intents', { query }),
    status: (userAddress) => call('GET /v1/yield/status', { query: { userAddress } }),
    history: (query) => call('GET /v1/yield/history', { query }),
    fundWallet: (body) => call('POST /v1/testing/fund-wallet', { body, safety: 'once' }),
    forkStatus: () => call('GET /v1/testing/fork-status'),
    health: () => call('GET /health'),
  };
}
