import { Gauge, Histogram, type Registry } from 'prom-client';
import type { ForksPort } from '../../ports.js';

export type MeasuredForks = Pick<ForksPort, 'list' | 'waiting' | 'onSimulation'>;

/** Add the metrics of forks and of the simulations on them. */
export function measureForks(forks: MeasuredForks, registry: Registry, prefix: string): void {
  const registers = [registry];
  new Gauge({
    name: `${prefix}forks_active`,
    help: 'Forks that run, or are being started.',
    labelNames: ['chain', 'kind'],
    registers,
    async collect() {
      const active = await forks.list();
      this.reset();
      for (const { chain, kind } of active) this.inc({ chain, kind });
    },
  });
  new Gauge({
    name: `${prefix}simulations_waiting`,
    help: 'Simulations that wait for their turn.',
    registers,
    collect() {
      this.set(forks.waiting());
    },
  });
  const simulations = new Histogram({
    name: `${prefix}simulation_duration_seconds`,
    help: 'Time of a preflight simulation, its turn in the queue included, by how it ended.',
    labelNames: ['backend', 'outcome'],
    buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 15],
    registers,
  });
  // Rates miss a series that begins at 1.
  simulations.zero({ backend: 'none', outcome: 'error' });
  forks.onSimulation(({ backend, outcome, seconds }) => simulations.observe({ backend, outcome }, seconds));
}
