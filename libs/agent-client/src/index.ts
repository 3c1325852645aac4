export { ApiError, ServiceUnreachableError, type ApiErrorParts } from './errors.js';
export { createAgentClient, type AgentClient, type AgentClientOptions } from './http/create-agent-client.js';
export type { Payer, PaymentDemand } from './http/payer.js';
export type {
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
  VaultCandidate,
  VaultListRequest,
  VaultListResponse,
  VaultReport,
} from './types.js';
