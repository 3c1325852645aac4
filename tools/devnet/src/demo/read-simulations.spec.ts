import { readSimulations } from './read-simulations.js';

describe('readSimulations', () => {
  it('default: those that passed, on every backend', () => {
    const metrics = [
      '# HELP x_simulation_duration_seconds Time of a preflight simulation.',
      'x_simulation_duration_seconds_bucket{le="+Inf",backend="node",outcome="passed"} 9',
      'x_simulation_duration_seconds_sum{backend="node",outcome="passed"} 0.25',
      'x_simulation_duration_seconds_count{backend="node",outcome="passed"} 2',
      'x_simulation_duration_seconds_sum{backend="anvil",outcome="passed"} 0.5',
      'x_simulation_duration_seconds_count{backend="anvil",outcome="passed"} 1',
      'x_simulation_duration_seconds_count{backend="node",outcome="failed"} 4',
    ].join('\n');
    expect(readSimulations(metrics)).toEqual({ count: 3, seconds: 0.75 });
  });

  it('behavior: none where nothing is simulated', () => {
    expect(readSimulations('process_cpu_seconds_total 1\n')).toEqual({ count: 0, seconds: 0 });
  });
});
