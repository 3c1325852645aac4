/** Injection tokens of what has no class: objects of libraries. */
export const tokens = {
  limiterStorage: Symbol('limiterStorage'),
  /** The chains themselves, as discovery reads them. */
  chains: Symbol('chains'),
  /** What the worker stores of the chains that wallets act on. */
  events: Symbol('events'),
  /** The client of the fork service; `undefined` where none is configured. */
  forkService: Symbol('forkService'),
  /** The chains as wallets use them: a managed fork replaces the RPC of its chain. */
  walletChains: Symbol('walletChains'),
  contractCheck: Symbol('contractCheck'),
  /** `undefined` where preflight is off. */
  simulator: Symbol('simulator'),
  forks: Symbol('forks'),
  discovery: Symbol('discovery'),
  quotes: Symbol('quotes'),
  depositLimits: Symbol('depositLimits'),
  intents: Symbol('intents'),
  setupRelay: Symbol('setupRelay'),
  executionRelay: Symbol('executionRelay'),
  positions: Symbol('positions'),
  /** `null` where payments are off. */
  payments: Symbol('payments'),
  probeChain: Symbol('probeChain'),
  health: Symbol('health'),
} as const;
