import type { UpstreamObserver } from '@yield-vault/chains';
import type { Deployment } from '@yield-vault/deployment';
import type { NewestBlock } from '@yield-vault/forks/preflight';
import type { DatabaseHandle } from '@yield-vault/database';
import type { HttpMetrics } from '@yield-vault/server';
import type { RegistryEntry } from '@yield-vault/vault-discovery';
import type { Logger } from 'pino';
import type { Timings } from './infrastructure/lifecycle.js';
import type { HealthMonitorOptions } from './modules/health/create-health-monitor.js';
import type { LastCalls } from './modules/health/watch-chains.js';

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
  /** The last call of each upstream. */
  abstract readonly lastCalls: LastCalls;
  /**
   * The newest block of each chain that the health probe asked for. Simulations use it instead of another request; its base
   * fee may be old.
   */
  abstract readonly newestBlocks: Map<string, NewestBlock>;
}
