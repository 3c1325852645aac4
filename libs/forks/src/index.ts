export { forkChains } from './fork-chains.js';
export { createAnvilLauncher } from './anvil/create-anvil-launcher.js';
export {
  createEphemeralForks,
  type EphemeralForkStats,
  type MeteredEphemeralForks,
} from './ephemeral/create-ephemeral-forks.js';
export type { EphemeralChain, EphemeralForksOptions, EphemeralLimits } from './ephemeral/options.js';
export { createForks, type Forks, type ForksDependencies } from './forks.js';
export { createForkManager, type ForkManagerOptions } from './manager/create-fork-manager.js';
export type {
  EphemeralForks,
  ForkLauncher,
  ForkLogger,
  ForkProvider,
  LaunchedFork,
  LaunchOptions,
  ResumedFork,
} from './ports.js';
export {
  createForkRpcHandler,
  type ForkRpcHandler,
  type ForkRpcTarget,
} from './rpc/create-fork-rpc-handler.js';
export type { RpcAnswer } from './rpc/serve-rpc.js';
export {
  createServiceProvider,
  type ServiceProvider,
  type ServiceProviderOptions,
} from './service/create-service-provider.js';
export { forkRpcBodyLimit, startForkRpc, type ForkRpcServer } from './rpc/start-fork-rpc.js';
export type {
  BalanceChange,
  BlockRef,
  EphemeralFork,
  EphemeralForkOptions,
  Fork,
  ForkChain,
  ForkHealth,
  ForkKind,
  ForkRecord,
  ForkStatus,
  ForkStrategy,
  FundedBalances,
  Funding,
  SentTransaction,
  SignedAuthorization,
  SimulatedCall,
  SimulatedCallResult,
  SimulationRequest,
  SimulationResult,
  StateOverride,
  UnsignedTransaction,
  UsdcFacts,
  UserOperationRequest,
  UserOperationSimulation,
} from './types.js';
export type { TestingLimits } from './steps/funding-limits.js';
export { createTenderlyLauncher, type TenderlyLauncherOptions } from './tenderly/create-tenderly-launcher.js';
