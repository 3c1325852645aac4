/** Injection tokens of the parts that modules share. */
export const tokens = {
  settings: Symbol('settings'),
  registry: Symbol('registry'),
  logger: Symbol('logger'),
  metrics: Symbol('metrics'),
  timings: Symbol('timings'),
  upstreams: Symbol('upstreams'),
  healthOptions: Symbol('healthOptions'),
  limiterStorage: Symbol('limiterStorage'),
  database: Symbol('database'),
  /** The chains themselves, as discovery reads them. */
  chains: Symbol('chains'),
  newestBlocks: Symbol('newestBlocks'),
  managedForks: Symbol('managedForks'),
  /** The chains as wallets use them: a managed fork replaces the RPC of its chain. */
  wallets: Symbol('wallets'),
  contractCheck: Symbol('contractCheck'),
  discovery: Symbol('discovery'),
  intents: Symbol('intents'),
  setupRelay: Symbol('setupRelay'),
  executionRelay: Symbol('executionRelay'),
  forks: Symbol('forks'),
  positions: Symbol('positions'),
  payments: Symbol('payments'),
  probeChain: Symbol('probeChain'),
  health: Symbol('health'),
} as const;
