import type { Freshness } from '@yield-vault/vault-discovery';
import type { ChainProbe } from '../ports.js';

/** What the last look at one chain found, as `/health` tells it. */
export interface ChainHealth extends Omit<ChainProbe, 'contracts'> {
  readonly chainId: number;
}

/** What is known about the parts of the service; reading it never waits. */
export interface HealthState {
  readonly status: 'ok' | 'degraded';
  readonly ready: boolean;
  /** What readiness still waits for, as names of dependencies. */
  readonly waitingFor: readonly string[];
  readonly database: 'ok' | 'down';
  readonly freshness: Freshness;
  readonly chains: Readonly<Record<string, ChainHealth>>;
}
