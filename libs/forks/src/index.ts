export { forkChains } from './fork-chains.js';
export { createForks, type Forks, type ForksDependencies } from './forks.js';
export { createForkManager, type ForkManagerOptions } from './manager/create-fork-manager.js';
export type { ForkLogger, ForkProvider } from './ports.js';
export {
  createForkRpcHandler,
  forkRpcBodyLimit,
  type ForkRpcHandler,
  type ForkRpcTarget,
} from './rpc/create-fork-rpc-handler.js';
export type { RpcResponse } from './rpc/serve-rpc.js';
export {
  createServiceProvider,
  type ServiceProvider,
  type ServiceProviderOptions,
} from './service/create-service-provider.js';
export { createSimulator, type Simulator, type SimulatorOptions } from './simulation/create-simulator.js';
export type {
  ForkBackend,
  NewestBlock,
  UserOperationRequest,
  UserOperationSimulation,
} from './simulation/types.js';
export type {
  ActiveFork,
  Fork,
  ForkChain,
  ForkHealth,
  ForkKind,
  ForkRecord,
  ForkStatus,
  FundedBalances,
  Funding,
  UsdcFacts,
} from './types.js';
export type { TestingLimits } from './fund-wallet.js';
export { forksSchema, preflightSchema, testingSchema } from './fork-schema.js';
