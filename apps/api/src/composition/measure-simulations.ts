import type { UserOperationRequest, UserOperationSimulation } from '@yield-vault/forks';
import type { ForksPort, SimulationOutcome } from '../ports.js';

type Simulate = (request: UserOperationRequest) => Promise<UserOperationSimulation>;

/** Simulations that tell how they ended and how long they took. */
export interface MeasuredSimulations extends Pick<ForksPort, 'onSimulation'> {
  readonly simulate: Simulate;
}

/**
 * Measure simulations.
 *
 * @param strategy - how the deployment simulates
 */
export function measureSimulations(simulate: Simulate, strategy: string): MeasuredSimulations {
  const listeners: ((simulation: SimulationOutcome) => void)[] = [];
  return {
    onSimulation: (listener) => void listeners.push(listener),
    async simulate(request) {
      const startedAt = performance.now();
      const finish = (outcome: SimulationOutcome['outcome']) => {
        const seconds = (performance.now() - startedAt) / 1000;
        for (const listener of listeners) listener({ strategy, outcome, seconds });
      };
      try {
        const simulation = await simulate(request);
        finish(simulation.success ? 'passed' : 'failed');
        return simulation;
      } catch (error) {
        finish('error');
        throw error;
      }
    },
  };
}
