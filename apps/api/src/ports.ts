import type { ActiveChain, ChainProbe as NodeProbe } from '@yield-vault/chains';
import type { DatabaseHandle } from '@yield-vault/protocol/database';
import type { ExecutionRelay } from '@yield-vault/execution-relay';
import type { ForkBackend, ForkRecord, Forks } from '@yield-vault/forks';
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

/** What callers may know about the chains. */
export interface ChainFactsPort {
  readonly all: readonly Pick<
    ActiveChain,
    'key' | 'chainId' | 'name' | 'relayMode' | 'entryPoint' | 'usdc' | 'contracts' | 'confirmations'
  >[];
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
  | 'list'
  | 'freshness'
  | 'isSampling'
  | 'chainStates'
>;

export type IntentsPort = IntentBuilder;
export type SetupRelayPort = SetupRelay;
export type ExecutionRelayPort = ExecutionRelay;
export type PositionsPort = Positions;
export type DatabasePort = Pick<DatabaseHandle, 'ping' | 'close' | 'pool'>;

/** A finished simulation. */
export interface SimulationOutcome {
  /** `none`: it could not be run. */
  readonly backend: ForkBackend | 'none';
  /** `error`: it could not be run. */
  readonly outcome: 'passed' | 'failed' | 'error';
  readonly seconds: number;
}

/** The forks of the deployment, and their measurements. */
export interface ForksPort extends Pick<Forks, 'fundWallet' | 'forkStatus' | 'close'> {
  /** The active forks, as far as the fork service responds. Never throws. */
  list(): Promise<readonly Pick<ForkRecord, 'chain' | 'kind'>[]>;
  /** Number of queued simulations. */
  waiting(): number;
  onSimulation(listener: (simulation: SimulationOutcome) => void): void;
}

/** Takes payments for priced routes. */
export type PaymentsPort = Omit<Payments, 'inspect'>;

/** Result of the probe of one chain. */
export interface ChainProbe extends NodeProbe {
  /** The chain lacks contracts that wallets need. */
  readonly contracts?: 'missing';
}

/** Probe one chain within its own deadlines. Never throws. */
export type ProbeChain = (key: string) => Promise<ChainProbe>;

/** Everything that the routes delegate to. */
export interface Features {
  readonly chains: ChainsPort & ChainFactsPort;
  readonly discovery: DiscoveryPort;
  readonly intents: IntentsPort;
  readonly setupRelay: SetupRelayPort;
  readonly executionRelay: ExecutionRelayPort;
  readonly positions: PositionsPort;
  readonly forks: ForksPort;
  /** `null` where payments are off. */
  readonly payments: PaymentsPort | null;
  readonly database: DatabasePort;
  readonly probeChain: ProbeChain;
}
