export { createDatabaseIntentStore } from './adapters/database-intent-store.js';
export { createMemoryIntentStore } from './adapters/memory-intent-store.js';
export {
  createExecutionRelay,
  type ExecutionRelay,
  type ExecutionRelayDependencies,
  type ExecutionRelayOptions,
} from './execution-relay.js';
export type {
  BundlerPort,
  ExecutionChain,
  ExecutionChains,
  IntentFailure,
  IntentLease,
  IntentRecord,
  IntentStore,
  IntentTransition,
  NewIntent,
  SimulationRequest,
  SimulationVerdict,
  SimulatorPort,
  VaultMove,
  VaultsPort,
} from './ports.js';
export type { VerifiedIntent } from './types.js';
