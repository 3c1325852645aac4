import { Counter, Gauge, type Registry } from 'prom-client';
import type { DiscoveryPort } from '../../ports.js';

export type MeasuredDiscovery = Pick<DiscoveryPort, 'chainStates' | 'isSampling'>;

/** Add the metrics of what discovery serves. */
export function measureDiscovery(discovery: MeasuredDiscovery, registry: Registry, prefix: string): void {
  const registers = [registry];
  new Gauge({
    name: `${prefix}vaults`,
    help: 'Vaults by chain. Discover may return listed vaults; unlisted ones fail a gate. The chain contradicts rejected entries; those that are vaults count as unlisted too.',
    labelNames: ['chain', 'state'],
    registers,
    collect() {
      for (const { chain, vaults, listed, rejected } of discovery.chainStates()) {
        this.set({ chain, state: 'listed' }, listed);
        this.set({ chain, state: 'unlisted' }, vaults - listed);
        this.set({ chain, state: 'rejected' }, rejected);
      }
    },
  });
  new Gauge({
    name: `${prefix}snapshot_age_seconds`,
    help: 'Age of the newest snapshot behind the ranking of a chain; absent before the first.',
    labelNames: ['chain'],
    registers,
    collect() {
      this.reset();
      for (const { chain, newestSnapshot } of discovery.chainStates())
        if (newestSnapshot !== undefined)
          this.set({ chain }, Math.max(0, Date.now() / 1_000 - newestSnapshot));
    },
  });
  new Counter({
    name: `${prefix}sampling_failures_total`,
    help: 'Attempts of this process to sample a chain that failed.',
    labelNames: ['chain'],
    registers,
    collect() {
      this.reset();
      for (const { chain, samplingFailures } of discovery.chainStates())
        this.inc({ chain }, samplingFailures);
    },
  });
  new Gauge({
    name: `${prefix}sampling_stopped`,
    help: '1 when this process stopped sampling a chain, because every node contradicts a block that was sampled.',
    labelNames: ['chain'],
    registers,
    collect() {
      for (const { chain, isSamplingStopped } of discovery.chainStates())
        this.set({ chain }, isSamplingStopped ? 1 : 0);
    },
  });
  new Gauge({
    name: `${prefix}sampler_leader`,
    help: '1 when this process is the one that samples the chains.',
    registers,
    collect() {
      this.set(discovery.isSampling() ? 1 : 0);
    },
  });
}
