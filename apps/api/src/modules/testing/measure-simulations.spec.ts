import type { UserOperationRequest, UserOperationSimulation } from '@yield-vault/forks';
import type { SimulationOutcome } from '../../ports.js';
import { measureSimulations } from './measure-simulations.js';

const request = { chain: 'base' } as UserOperationRequest;

function setUp(simulate: () => Promise<UserOperationSimulation>) {
  const heard: SimulationOutcome[] = [];
  const simulations = measureSimulations(simulate);
  simulations.onSimulation((simulation) => heard.push(simulation));
  return { simulations, heard };
}

describe('measureSimulations', () => {
  it.each([
    ['passed', true],
    ['failed', false],
  ])('default: %s', async (outcome, success) => {
    const response = { success, backend: 'node' } as UserOperationSimulation;
    const { simulations, heard } = setUp(() => Promise.resolve(response));
    expect(await simulations.simulate(request)).toBe(response);
    expect(heard).toEqual([{ backend: 'node', outcome, seconds: expect.any(Number) as number }]);
  });

  it('error: a failure is counted and passed on', async () => {
    const cause = new Error('down');
    const { simulations, heard } = setUp(() => Promise.reject(cause));
    await expect(simulations.simulate(request)).rejects.toBe(cause);
    expect(heard).toMatchObject([{ backend: 'none', outcome: 'error' }]);
  });
});
