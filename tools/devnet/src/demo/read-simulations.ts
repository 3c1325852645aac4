/** Preflight simulations that passed. */
export interface Simulations {
  readonly count: number;
  /** What they took together. */
  readonly seconds: number;
}

/** Read from the metrics of the server how many preflight simulations passed so far. */
export function readSimulations(metrics: string): Simulations {
  const sumOf = (series: 'count' | 'sum'): number =>
    metrics
      .split('\n')
      .filter((line) => line.includes(`simulation_duration_seconds_${series}{`))
      .filter((line) => line.includes('outcome="passed"'))
      .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
  return { count: sumOf('count'), seconds: sumOf('sum') };
}
