/** Injection tokens of what the composition builds outside NestJS. */
export const tokens = {
  chains: Symbol('chains'),
  discovery: Symbol('discovery'),
  intents: Symbol('intents'),
  setupRelay: Symbol('setupRelay'),
  executionRelay: Symbol('executionRelay'),
  forks: Symbol('forks'),
  positions: Symbol('positions'),
  payments: Symbol('payments'),
  database: Symbol('database'),
  probeChain: Symbol('probeChain'),
  settings: Symbol('settings'),
  logger: Symbol('logger'),
  health: Symbol('health'),
  metrics: Symbol('metrics'),
} as const;
