/** Starts the name of every metric. */
export const metricPrefix = 'yield_vault_';
