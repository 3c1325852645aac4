import { Gauge, type Registry } from 'prom-client';
import type { HealthState } from './create-health-monitor.js';

/** Add the metrics of health. */
export function measureHealth(health: () => HealthState, registry: Registry, prefix: string): void {
  const registers = [registry];
  new Gauge({
    name: `${prefix}ready`,
    help: '1 when the database is up and at least one chain serves.',
    registers,
    collect() {
      this.set(health().ready ? 1 : 0);
    },
  });
  new Gauge({
    name: `${prefix}chain_ready`,
    help: '1 when the chain serves; /health/ready names what it lacks.',
    labelNames: ['chain'],
    registers,
    collect() {
      for (const [chain, { ready }] of Object.entries(health().readiness)) this.set({ chain }, ready ? 1 : 0);
    },
  });
  new Gauge({
    name: `${prefix}upstream_up`,
    help: '1 when the last probe of a dependency succeeded.',
    labelNames: ['dependency'],
    registers,
    collect() {
      const { chains, bundlers, database } = health();
      // A probe that ran out of time knows nothing of the bundlers.
      this.reset();
      this.set({ dependency: 'database' }, database === 'ok' ? 1 : 0);
      for (const [key, { rpc }] of Object.entries(chains))
        this.set({ dependency: `rpc:${key}` }, rpc === 'ok' ? 1 : 0);
      for (const [dependency, state] of Object.entries(bundlers))
        this.set({ dependency }, state === 'ok' ? 1 : 0);
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
}
