import type { components, operations } from './generated/openapi.js';

type Schemas = components['schemas'];
type AnswerOf<Id extends keyof operations> = operations[Id]['responses'] extends {
  200: { content: { 'application/json': infer Body } };
}
  ? Body
  : never;

export type DiscoverRequest = Schemas['DiscoverRequest'];
export type DiscoverResponse = Schemas['DiscoverResponse'];
export type ExecuteRequest = Schemas['ExecuteRequest'];
export type ExecuteResponse = Schemas['ExecuteResponse'];
export type ForkStatusResponse = Schemas['ForkStatusResponse'];
export type FundWalletRequest = Schemas['FundWalletRequest'];
export type FundWalletResponse = Schemas['FundWalletResponse'];
export type Health = Schemas['Health'];
export type HistoryRequest = operations['history']['parameters']['query'];
export type HistoryResponse = Schemas['HistoryResponse'];
export type PrepareRequest = Schemas['PrepareRequest'];
/** A setup or an execution; `needsSetup` tells which. */
export type PrepareResponse = AnswerOf<'prepare'>;
export type SetupRelayRequest = Schemas['SetupRelayRequest'];
export type SetupRelayResponse = Schemas['SetupRelayResponse'];
export type StatusResponse = Schemas['StatusResponse'];
export type VaultCandidate = Schemas['VaultCandidate'];
export type VaultListRequest = NonNullable<operations['listVaults']['parameters']['query']>;
export type VaultListResponse = Schemas['VaultListResponse'];
export type VaultReport = Schemas['VaultReport'];
