import { readSimulations } from './read-simulations.js';

describe('readSimulations', () => {
  it('default: those that passed, whatever the strategy', () => {
    const metrics = [
      '# HELP x_simulation_duration_seconds Time of a preflight simulation.',
      'x_simulation_duration_seconds_bucket{le="+Inf",strategy="overlay",outcome="passed"} 9',
      'x_simulation_duration_seconds_sum{strategy="overlay",outcome="passed"} 0.25',
      'x_simulation_duration_seconds_count{strategy="overlay",outcome="passed"} 2',
      'x_simulation_duration_seconds_sum{strategy="process",outcome="passed"} 0.5',
      'x_simulation_duration_seconds_count{strategy="process",outcome="passed"} 1',
      'x_simulation_duration_seconds_count{strategy="overlay",outcome="failed"} 4',
    ].join('\n');
    expect(readSimulations(metrics)).toEqual({ count: 3, seconds: 0.75 });
  });

  it('behavior: none where nothing is simulated', () => {
    expect(readSimulations('process_cpu_seconds_total 1\n')).toEqual({ count: 0, seconds: 0 });
  });
});
