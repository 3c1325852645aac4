export { archiveIntents, type ArchiveOptions } from './adapters/archive-intents.js';
export { countIntents, type IntentCount } from './adapters/count-intents.js';
export { createDatabaseIntentStore } from './adapters/database-intent-store.js';
export { openDepositLimits, type DepositLimit, type DepositLimits } from './adapters/deposit-limits.js';
export {
  createExecutionRelay,
  type ExecutionRelay,
  type ExecutionRelayDependencies,
  type ExecutionRelayOptions,
} from './execution-relay.js';
export type {
  BundlerPort,
  ChainEventsPort,
  ExecutionChain,
  ExecutionChains,
  IntentFailure,
  IntentLease,
  IntentRecord,
  IntentStore,
  IntentTransition,
  NewIntent,
  SimulationRequest,
  SimulationResult,
  SimulatorPort,
  UnresolvedIntent,
  VaultMove,
  VaultsPort,
} from './ports.js';
export type { VerifiedIntent } from './types.js';
export { relaySchema } from './adapters/relay-schema.js';
