import type { Simulator, UserOperationRequest, UserOperationSimulation } from '@yield-vault/forks/preflight';
import { Registry } from 'prom-client';
import { measureSimulations } from './measure-simulations.js';

const request = { chain: 'base' } as UserOperationRequest;

function setUp(simulate: () => Promise<UserOperationSimulation>) {
  const registry = new Registry();
  const simulator = { simulate, waiting: () => 3 } as unknown as Simulator;
  return { registry, simulator: measureSimulations(simulator, registry, 'x_') };
}

const count = 'x_simulation_duration_seconds_count';

describe('measureSimulations', () => {
  it.each([
    ['passed', true],
    ['failed', false],
  ])('default: counts a simulation that %s, and the queue', async (outcome, success) => {
    const response = { success, backend: 'node' } as UserOperationSimulation;
    const { simulator, registry } = setUp(() => Promise.resolve(response));
    expect(await simulator.simulate(request)).toBe(response);
    const text = await registry.metrics();
    expect(text).toContain(`${count}{backend="node",outcome="${outcome}"} 1`);
    expect(text).toContain('x_simulations_waiting 3');
  });

  it('error: a failure is counted and passed on', async () => {
    const cause = new Error('down');
    const { simulator, registry } = setUp(() => Promise.reject(cause));
    expect(await registry.metrics()).toContain(`${count}{backend="none",outcome="error"} 0`);
    await expect(simulator.simulate(request)).rejects.toBe(cause);
    expect(await registry.metrics()).toContain(`${count}{backend="none",outcome="error"} 1`);
  });
});
