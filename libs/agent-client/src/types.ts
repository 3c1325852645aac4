import type * as wire from '@yield-vault/protocol';

/** A request whose fields with a default may be left out. */
type Defaulted<Request, Field extends keyof Request> = Omit<Request, Field> & Partial<Pick<Request, Field>>;

export type AlternativesRequest = Defaulted<wire.AlternativesRequest, 'days' | 'strategy'>;
export type DiscoverRequest = Partial<wire.DiscoverRequest>;
export type HistoryRequest = Defaulted<wire.HistoryRequest, 'period'>;
export type IntentListRequest = Defaulted<wire.IntentListRequest, 'limit'>;
/** A rebalance may also say where it goes. */
export type PrepareRequest = Defaulted<wire.PrepareRequest, 'operation' | 'chain'> & wire.RebalanceSteering;
export type QuoteRequest = Defaulted<wire.QuoteRequest, 'days'>;
export type SetupRelayRequest = Defaulted<wire.SetupRelayRequest, 'confirmations'>;
export type VaultListRequest = Partial<wire.VaultListRequest>;
