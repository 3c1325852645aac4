import { Registry } from 'prom-client';
import type { ForksPort, SimulationOutcome } from '../../ports.js';
import { measureForks } from './measure-forks.js';

function setUp(overrides: Partial<ForksPort> = {}) {
  let tell: (simulation: SimulationOutcome) => void = () => undefined;
  const registry = new Registry();
  const forks = {
    list: () => Promise.resolve([{ chain: 'base', kind: 'persistent' }] as const),
    waiting: () => 3,
    onSimulation: (listener: typeof tell) => {
      tell = listener;
    },
    ...overrides,
  };
  measureForks(forks, registry, 'x_');
  return { registry, tell: (simulation: SimulationOutcome) => tell(simulation) };
}

describe('measureForks', () => {
  it('default: active forks and the queue as they are now', async () => {
    const text = await setUp().registry.metrics();
    expect(text).toContain('x_forks_active{chain="base",kind="persistent"} 1');
    expect(text).toContain('x_simulations_waiting 3');
  });

  it('behavior: a fork that is gone is not counted any longer, and nothing is counted twice', async () => {
    const forks = [
      { chain: 'base', kind: 'ephemeral' },
      { chain: 'base', kind: 'ephemeral' },
    ] as const;
    let active: readonly (typeof forks)[number][] = forks;
    const { registry } = setUp({ list: () => Promise.resolve(active) });
    await Promise.all([registry.metrics(), registry.metrics()]);
    expect(await registry.metrics()).toContain('x_forks_active{chain="base",kind="ephemeral"} 2');
    active = [];
    expect(await registry.metrics()).not.toContain('x_forks_active{');
  });

  it('behavior: simulations by backend and outcome, with their time', async () => {
    const { registry, tell } = setUp();
    tell({ backend: 'node', outcome: 'passed', seconds: 0.02 });
    tell({ backend: 'node', outcome: 'failed', seconds: 2 });
    const text = await registry.metrics();
    const name = 'x_simulation_duration_seconds';
    expect(text).toContain(`${name}_count{backend="node",outcome="passed"} 1`);
    expect(text).toContain(`${name}_bucket{le="1",backend="node",outcome="failed"} 0`);
    expect(text).toContain(`${name}_sum{backend="node",outcome="failed"} 2`);
  });
});
