import type { ActiveChain } from '@yield-vault/chains';
import type { LoggerPort } from '@yield-vault/protocol';
import type { Prober } from '../capability/create-prober.js';
import type { Catalogue } from '../catalogue/create-catalogue.js';
import type { ExternalChart } from '../charts/create-llama-chart.js';
import type { DiscoverySettings } from '../discovery-schema.js';
import type { ContractReader } from '../governance/create-contract-reader.js';
import type { CapabilityStore, ContractFactsStore, ExitStore, ReportStore, SnapshotStore } from '../ports.js';
import type { PricedAsset, Pricer } from '../prices/priced-assets.js';

/** The stores of the sampler. */
export interface SamplerStores {
  readonly snapshots: SnapshotStore;
  readonly capabilities: CapabilityStore;
  readonly exits: ExitStore;
  readonly contracts: ContractFactsStore;
  readonly reports: ReportStore;
}

export interface SamplerOptions extends Pick<
  DiscoverySettings,
  | 'sampleIntervalSeconds'
  | 'backfillHours'
  | 'minTvlUsd'
  | 'probeIntervalSeconds'
  | 'maxProbeAgeSeconds'
  | 'hourlyRetentionDays'
  | 'onReplacedChain'
> {
  /** Hours of the past that are saved at once (48); fewer where there are many vaults. */
  readonly hoursPerSave?: number;
}

export interface VaultSamplerDeps {
  readonly chains: readonly ActiveChain[];
  readonly catalogue: Pick<Catalogue, 'entries'>;
  readonly stores: SamplerStores;
  readonly pricerOf: (chain: ActiveChain, assets: readonly PricedAsset[]) => Pricer;
  /** Without it, no vault is listed. */
  readonly proberOf?: (chain: ActiveChain) => Prober;
  /** Without it, only reviewed facts are known. */
  readonly contractReaderOf?: (chain: ActiveChain) => ContractReader;
  /** Replaces the past that no node has the state of. */
  readonly chart?: ExternalChart;
  readonly options: SamplerOptions;
  /** Milliseconds, as Date.now. */
  readonly now?: () => number;
  readonly logger?: LoggerPort;
}
