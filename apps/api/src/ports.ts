import type {
  DiscoverRequest,
  DiscoverResponse,
  ExecuteRequest,
  ExecuteResponse,
  ForkStatusResponse,
  FundWalletRequest,
  FundWalletResponse,
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
} from '@yield-vault/protocol';
import type { Payments } from '@yield-vault/payments';
import type { Address } from 'viem';

/** The chains that the deployment serves. */
export interface ChainsPort {
  readonly keys: readonly string[];
  /** @throws {ChainNotActiveError} when the deployment does not serve the key. */
  require(key: string): { readonly key: string; readonly chainId: number };
}

/** How fresh the ranking is, as `/health` tells it. */
export interface Freshness {
  readonly snapshotFreshnessStatus: 'healthy' | 'stale' | 'critical';
  readonly latestSnapshotAt: string | null;
}

/** What is served of a chain. */
export interface ChainState {
  readonly chain: string;
  /** Vaults of the catalogue. */
  readonly vaults: number;
  /** Those that discover may name. */
  readonly listed: number;
  /** Entries of the catalogue that the chain contradicts; those that are vaults all the same are among `vaults`. */
  readonly dropped: number;
  /** Unix seconds; undefined before the chain was ranked for the first time. */
  readonly newestSnapshot: number | undefined;
  /** Attempts to sample that failed in this process since its start. */
  readonly samplingFailures: number;
}

export interface DiscoveryPort {
  /** Resolves once every active chain is ranked. */
  start(): Promise<void>;
  stop(): Promise<void>;
  isReady(): boolean;
  discover(query: DiscoverRequest): DiscoverResponse;
  history(query: HistoryRequest): Promise<HistoryResponse>;
  explain(vaultId: string): Promise<VaultReport>;
  page(query: VaultListRequest): VaultListResponse;
  freshness(): Freshness;
  /** Whether this process is the one that samples. */
  isSampling(): boolean;
  chainStates(): readonly ChainState[];
}

export interface IntentsPort {
  prepare(request: PrepareRequest): Promise<PrepareResponse>;
}

export interface SetupRelayPort {
  relay(request: SetupRelayRequest): Promise<SetupRelayResponse>;
  /** Resolves once nothing is under way any more. */
  drain(): Promise<void>;
}

export interface ExecutionRelayPort {
  execute(request: ExecuteRequest): Promise<ExecuteResponse>;
  /** Settle what an earlier process left unfinished. */
  resume(): Promise<void>;
  /** Resolves once nothing is under way any more. */
  drain(): Promise<void>;
}

export interface PositionsPort {
  status(userAddress: Address): Promise<StatusResponse>;
}

/** A finished simulation. */
export interface SimulationOutcome {
  readonly strategy: string;
  /** `error`: it could not be run. */
  readonly outcome: 'passed' | 'failed' | 'error';
  readonly seconds: number;
}

/** Simulations that were repeated in another way for comparison, since the start. */
export interface ShadowCounts {
  readonly agreed: number;
  readonly differed: number;
  /** The second run gave no result. */
  readonly failed: number;
}

export interface ActiveFork {
  readonly chain: string;
  readonly kind: 'persistent' | 'ephemeral';
}

export interface ForksPort {
  fundWallet(request: FundWalletRequest): Promise<FundWalletResponse>;
  forkStatus(): Promise<ForkStatusResponse>;
  /** The active forks, as far as what makes them answers. Never throws. */
  list(): Promise<readonly ActiveFork[]>;
  /** Simulations that wait for their turn. */
  waiting(): number;
  /** By chain key. */
  shadow(): Readonly<Record<string, ShadowCounts>>;
  onSimulation(listener: (simulation: SimulationOutcome) => void): void;
  /** Ends every fork of this process; what wallets did is kept where the deployment keeps it. */
  close(): Promise<void>;
}

/** Takes payments for priced routes. */
export type PaymentsPort = Pick<Payments, 'begin' | 'settle' | 'cancel' | 'describePrices'>;

export interface DatabasePort {
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** What a look at one chain found. */
export interface ChainProbe {
  readonly blockNumber: number | null;
  readonly rpc: 'ok' | 'down';
  readonly bundler: 'ok' | 'down' | 'off';
  /** Contracts that wallets need are not there. */
  readonly contracts?: 'missing';
}

/** Look at one chain; answers within the chain's own deadlines and never throws. */
export type ProbeChain = (key: string) => Promise<ChainProbe>;

/** Everything that the routes delegate to. */
export interface Features {
  readonly chains: ChainsPort;
  readonly discovery: DiscoveryPort;
  readonly intents: IntentsPort;
  readonly setupRelay: SetupRelayPort;
  readonly executionRelay: ExecutionRelayPort;
  readonly positions: PositionsPort;
  readonly forks: ForksPort;
  /** `null`: nothing has to be paid. */
  readonly payments: PaymentsPort | null;
  readonly database: DatabasePort;
  readonly probeChain: ProbeChain;
}
