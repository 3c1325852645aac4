import { createHttpMetrics, type HttpMetrics } from '@yield-vault/server';
import { Gauge } from 'prom-client';
import type { HealthState } from '../health/health-state.js';
import { measureDiscovery, type MeasuredDiscovery } from './measure-discovery.js';
import { measureForks, type MeasuredForks } from './measure-forks.js';

const prefix = 'yield_vault_';

/** Create the metrics of one server. */
export function createMetrics(
  health: () => HealthState,
  { discovery, forks }: { readonly discovery: MeasuredDiscovery; readonly forks: MeasuredForks },
): HttpMetrics {
  const { metrics, registry } = createHttpMetrics(prefix);
  const registers = [registry];
  new Gauge({
    name: `${prefix}ready`,
    help: '1 when the database is up, every chain is ranked and its bundler answers.',
    registers,
    collect() {
      this.set(health().ready ? 1 : 0);
    },
  });
  new Gauge({
    name: `${prefix}upstream_up`,
    help: '1 when the last look at a dependency found it working.',
    labelNames: ['dependency'],
    registers,
    collect() {
      const { chains, database } = health();
      this.set({ dependency: 'database' }, database === 'ok' ? 1 : 0);
      for (const [key, { rpc, bundler }] of Object.entries(chains)) {
        this.set({ dependency: `rpc:${key}` }, rpc === 'ok' ? 1 : 0);
        if (bundler !== 'off') this.set({ dependency: `bundler:${key}` }, bundler === 'ok' ? 1 : 0);
      }
    },
  });
  new Gauge({
    name: `${prefix}chain_block_number`,
    help: 'Newest block seen.',
    labelNames: ['chain'],
    registers,
    collect() {
      for (const [chain, { blockNumber }] of Object.entries(health().chains)) {
        if (blockNumber !== null) this.set({ chain }, blockNumber);
      }
    },
  });
  measureDiscovery(discovery, registry, prefix);
  measureForks(forks, registry, prefix);
  return metrics;
}
