import type { Simulator } from '@yield-vault/forks/preflight';
import { Gauge, Histogram, type Registry } from 'prom-client';

/** Measure the simulations of a simulator. */
export function measureSimulations(simulator: Simulator, registry: Registry, prefix: string): Simulator {
  const registers = [registry];
  new Gauge({
    name: `${prefix}simulations_waiting`,
    help: 'Simulations that wait for their turn.',
    registers,
    collect() {
      this.set(simulator.waiting());
    },
  });
  const duration = new Histogram({
    name: `${prefix}simulation_duration_seconds`,
    help: 'Time of a preflight simulation, its turn in the queue included, by how it ended.',
    labelNames: ['backend', 'outcome'],
    buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 15],
    registers,
  });
  // Rates miss a series that begins at 1.
  duration.zero({ backend: 'none', outcome: 'error' });
  return {
    ...simulator,
    async simulate(request) {
      const end = duration.startTimer();
      try {
        const simulation = await simulator.simulate(request);
        const { backend, success } = simulation;
        end({ backend, outcome: success ? 'passed' : 'failed' });
        return simulation;
      } catch (error) {
        end({ backend: 'none', outcome: 'error' });
        throw error;
      }
    },
  };
}
