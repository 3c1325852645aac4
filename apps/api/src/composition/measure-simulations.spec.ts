import type { UserOperationRequest, UserOperationSimulation } from '@yield-vault/forks';
import type { SimulationOutcome } from '../ports.js';
import { measureSimulations } from './measure-simulations.js';

const request = { chain: 'base' } as UserOperationRequest;

function setUp(simulate: () => Promise<UserOperationSimulation>) {
  const heard: SimulationOutcome[] = [];
  const simulations = measureSimulations(simulate, 'overlay');
  simulations.onSimulation((simulation) => heard.push(simulation));
  return { simulations, heard };
}

describe('measureSimulations', () => {
  it.each([
    ['passed', true],
    ['failed', false],
  ])('default: %s', async (outcome, success) => {
    const answer = { success } as UserOperationSimulation;
    const { simulations, heard } = setUp(() => Promise.resolve(answer));
    expect(await simulations.simulate(request)).toBe(answer);
    expect(heard).toEqual([{ strategy: 'overlay', outcome, seconds: expect.any(Number) as number }]);
  });

  it('error: what kept it from running is counted and passed on', async () => {
    const cause = new Error('down');
    const { simulations, heard } = setUp(() => Promise.reject(cause));
    await expect(simulations.simulate(request)).rejects.toBe(cause);
    expect(heard).toMatchObject([{ outcome: 'error' }]);
  });
});
