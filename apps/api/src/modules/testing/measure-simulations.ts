import type { UserOperationRequest, UserOperationSimulation } from '@yield-vault/forks';
import type { ForksPort, SimulationOutcome } from '../../ports.js';

type Simulate = (request: UserOperationRequest) => Promise<UserOperationSimulation>;

/** Simulations that report how they ended and how long they took. */
export interface MeasuredSimulations extends Pick<ForksPort, 'onSimulation'> {
  readonly simulate: Simulate;
}

/** Measure simulations. */
export function measureSimulations(simulate: Simulate): MeasuredSimulations {
  const listeners: ((simulation: SimulationOutcome) => void)[] = [];
  return {
    onSimulation: (listener) => void listeners.push(listener),
    async simulate(request) {
      const startedAt = performance.now();
      const finish = (outcome: SimulationOutcome['outcome'], backend: SimulationOutcome['backend']) => {
        const seconds = (performance.now() - startedAt) / 1000;
        for (const listener of listeners) listener({ backend, outcome, seconds });
      };
      try {
        const simulation = await simulate(request);
        finish(simulation.success ? 'passed' : 'failed', simulation.backend);
        return simulation;
      } catch (error) {
        finish('error', 'none');
        throw error;
      }
    },
  };
}
