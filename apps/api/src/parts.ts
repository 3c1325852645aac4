import type { UpstreamObserver } from '@yield-vault/chains';
import type { Deployment } from '@yield-vault/deployment';
import type { ChainEventsPort } from '@yield-vault/execution-relay';
import type { NewestBlock } from '@yield-vault/forks/preflight';
import type { DatabaseHandle } from '@yield-vault/database';
import type { HttpMetrics } from '@yield-vault/server';
import type { BlockEventsPort } from '@yield-vault/setup-relay';
import type { RegistryEntry } from '@yield-vault/vault-discovery';
import type { Logger } from 'pino';
import type { Timings } from './infrastructure/lifecycle.js';
import type { HealthMonitorOptions } from './modules/health/create-health-monitor.js';

/** Everything that the process passes to its modules. */
export abstract class Parts {
  abstract readonly settings: Deployment;
  /** Vaults to watch. */
  abstract readonly registry: readonly RegistryEntry[];
  abstract readonly logger: Logger;
  abstract readonly database: DatabaseHandle;
  abstract readonly metrics: HttpMetrics;
  /** Measures the upstreams. */
  abstract readonly observer: UpstreamObserver;
  abstract readonly timings: Timings;
  abstract readonly health: HealthMonitorOptions;
  /** The newest block of each chain, as the health probe saw it. Simulations use it instead of another request. */
  abstract readonly newestBlocks: Map<string, NewestBlock>;
  /** What the followers of the chains stored; without it, waiting calls read the chains. */
  abstract readonly events?: ChainEventsPort & BlockEventsPort;
}
