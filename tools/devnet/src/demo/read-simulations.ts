/** Preflight simulations that passed. */
export interface Simulations {
  readonly count: number;
  /** Total time. */
  readonly seconds: number;
}

/** Read the number of passed preflight simulations from the metrics of the server. */
export function readSimulations(metrics: string): Simulations {
  const sumOf = (series: 'count' | 'sum'): number =>
    metrics
      .split('\n')
      .filter((line) => line.includes(`simulation_duration_seconds_${series}{`))
      .filter((line) => line.includes('outcome="passed"'))
      .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
  return { count: sumOf('count'), seconds: sumOf('sum') };
}
