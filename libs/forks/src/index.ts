export { forkChains } from './fork-chains.js';
export { forksSchema, preflightSchema, testingSchema } from './fork-schema.js';
export type {
  ActiveFork,
  Balances,
  Fork,
  ForkChain,
  ForkHealth,
  ForkProvider,
  ForkRecord,
  Funding,
} from './types.js';
