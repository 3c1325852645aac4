import type { ChainProbe as NodeProbe } from '@yield-vault/chains';
import type { DatabaseHandle } from '@yield-vault/database';
import type { ExecutionRelay } from '@yield-vault/execution-relay';
import type { EphemeralForkStats, ForkRecord, Forks } from '@yield-vault/forks';
import type { IntentBuilder } from '@yield-vault/intent-builder';
import type { Payments } from '@yield-vault/payments';
import type { Positions } from '@yield-vault/positions';
import type { SetupRelay } from '@yield-vault/setup-relay';
import type { VaultDiscovery } from '@yield-vault/vault-discovery';

/** The chains that the deployment serves. */
export interface ChainsPort {
  readonly keys: readonly string[];
  /** @throws {ChainNotActiveError} when the deployment does not serve the key. */
  require(key: string): { readonly key: string; readonly chainId: number };
}

/** Finds, ranks and explains vaults. */
export type DiscoveryPort = Pick<
  VaultDiscovery,
  | 'start'
  | 'stop'
  | 'isReady'
  | 'discover'
  | 'history'
  | 'explain'
  | 'page'
  | 'freshness'
  | 'isSampling'
  | 'chainStates'
>;

export type IntentsPort = IntentBuilder;
export type SetupRelayPort = SetupRelay;
export type ExecutionRelayPort = ExecutionRelay;
export type PositionsPort = Positions;
export type DatabasePort = Pick<DatabaseHandle, 'ping' | 'close'>;

/** A finished simulation. */
export interface SimulationOutcome {
  readonly strategy: string;
  /** `error`: it could not be run. */
  readonly outcome: 'passed' | 'failed' | 'error';
  readonly seconds: number;
}

type ShadowStats = EphemeralForkStats['chains'][string]['shadow'];

/** The forks of the deployment, and what is measured of them. */
export interface ForksPort extends Pick<Forks, 'fundWallet' | 'forkStatus' | 'close'> {
  /** The active forks, as far as what makes them answers. Never throws. */
  list(): Promise<readonly Pick<ForkRecord, 'chain' | 'kind'>[]>;
  /** Simulations that wait for their turn. */
  waiting(): number;
  /** Simulations that were repeated in another way for comparison, by chain key. */
  shadow(): Readonly<Record<string, Pick<ShadowStats, 'agreed' | 'differed' | 'failed'>>>;
  onSimulation(listener: (simulation: SimulationOutcome) => void): void;
}

/** Takes payments for priced routes. */
export type PaymentsPort = Pick<Payments, 'begin' | 'settle' | 'cancel' | 'describePrices'>;

/** What a look at one chain found. */
export interface ChainProbe extends NodeProbe {
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
