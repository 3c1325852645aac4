import type {
  AlternativesResponse,
  CallsRequest,
  CallsResponse,
  ChainsResponse,
  DiscoverResponse,
  ExecuteRequest,
  ExecuteResponse,
  ForkStatusResponse,
  FundWalletRequest,
  FundWalletResponse,
  GaslessSetupRequest,
  Health,
  HistoryResponse,
  IntentListResponse,
  IntentStatus,
  PrepareExecutionResponse,
  PrepareResponse,
  SetupRelayResponse,
  StatusBatchResponse,
  StatusResponse,
  VaultListResponse,
  VaultQuote,
  VaultReport,
} from '@yield-vault/protocol';
import type { Address, Hex } from 'viem';
import type {
  AlternativesRequest,
  DiscoverRequest,
  HistoryRequest,
  IntentListRequest,
  PrepareRequest,
  QuoteRequest,
  SetupRelayRequest,
  VaultListRequest,
} from '../types.js';
import { createCaller, type AgentClientOptions } from './create-caller.js';

/** The endpoints of the service. Each throws `ApiError`, `ServiceUnreachableError` or `MalformedResponseError`. */
export type AgentClient = ReturnType<typeof createAgentClient>;

/**
 * Create a client of a running service.
 *
 * @example
 * const client = createAgentClient({ baseUrl: 'http://127.0.0.1:3000' });
 * const { vaults } = await client.discover({ chain: 'base', asset: 'USDC' });
 */
export function createAgentClient(options: AgentClientOptions) {
  const call = createCaller(options);

  return {
    /** Rank vaults. */
    discover: (body: DiscoverRequest = {}) => call<DiscoverResponse>('POST /v1/yield/discover', { body }),
    /** Show the active chains: contracts, assets, lifetime of intents. `verify` takes addresses from its own book. */
    chains: () => call<ChainsResponse>('GET /v1/yield/chains'),
    /** List the whole catalogue. */
    vaults: (query: VaultListRequest = {}) => call<VaultListResponse>('GET /v1/yield/vaults', { query }),
    /** Explain every number of a vault. */
    explain: (vaultId: string) => call<VaultReport>('GET /v1/yield/vaults/{vaultId}', { id: vaultId }),
    /** Simulate a deposit: what the amount would earn, what leaving pays, what both cost. */
    quote: ({ vaultId, ...query }: QuoteRequest) =>
      call<VaultQuote>('GET /v1/yield/vaults/{vaultId}/quote', { id: vaultId, query }),
    /** Compare an amount that is in a vault with the best others of its asset and chain. */
    alternatives: ({ vaultId, ...query }: AlternativesRequest) =>
      call<AlternativesResponse>('GET /v1/yield/vaults/{vaultId}/alternatives', { id: vaultId, query }),
    /** Build a setup or an intent. Verify the response before you sign it. */
    prepare: ({ targetVaultId, strategy, riskTolerance, ...body }: PrepareRequest) =>
      call<PrepareResponse>('POST /v1/yield/prepare', {
        query: { targetVaultId, strategy, riskTolerance },
        body,
      }),
    /** Complete a deposit that sets its wallet up without ether. Nothing is stored. Verify the response before you sign it. */
    gaslessSetup: (body: GaslessSetupRequest) =>
      call<PrepareExecutionResponse>('POST /v1/yield/gasless-setup', { body }),
    /** Build unsigned calls for any wallet. Nothing is relayed. Verify the response with `verifyCalls` before you send it. */
    calls: (query: CallsRequest) => call<CallsResponse>('GET /v1/yield/calls', { query }),
    /** Relay a signed setup transaction. The same one again gives the same response. */
    setupRelay: (body: SetupRelayRequest) => call<SetupRelayResponse>('POST /v1/yield/setup-relay', { body }),
    /** Relay a signed intent. The same one again is never submitted twice. */
    execute: (body: ExecuteRequest) => call<ExecuteResponse>('POST /v1/yield/execute', { body }),
    /** Show an intent that was executed. Its state is final when it is `confirmed`, `failed` or `expired`. */
    intent: (intentId: Hex) => call<IntentStatus>('GET /v1/yield/intents/{intentId}', { id: intentId }),
    /** List the intents of a wallet that were submitted, newest first. */
    intents: (query: IntentListRequest) => call<IntentListResponse>('GET /v1/yield/intents', { query }),
    /** Show the positions of a wallet. */
    status: (userAddress: Address) =>
      call<StatusResponse>('GET /v1/yield/status', { query: { userAddress } }),
    /** Show the positions of 1 to 50 wallets. */
    statusBatch: (userAddresses: readonly Address[]) =>
      call<StatusBatchResponse>('POST /v1/yield/status/batch', { body: { userAddresses } }),
    /** Show APY and TVL of a vault over time. */
    history: (query: HistoryRequest) => call<HistoryResponse>('GET /v1/yield/history', { query }),
    /** Mint balances on a test fork. Sent again only where nothing was minted. */
    fundWallet: (body: FundWalletRequest) =>
      call<FundWalletResponse>('POST /v1/testing/fund-wallet', { body, safety: 'once' }),
    /** Show the test forks. */
    forkStatus: () => call<ForkStatusResponse>('GET /v1/testing/fork-status'),
    /** Show the health of the service. */
    health: () => call<Health>('GET /health'),
  };
}
