export { createDatabaseSetupStore } from './adapters/database-setup-store.js';
export type {
  BlockEventsPort,
  ForksPort,
  SetupChain,
  SetupChains,
  SetupLease,
  SetupStore,
  SetupSubmission,
  SetupSubmissionKey,
} from './ports.js';
export {
  createSetupRelay,
  type SetupRelay,
  type SetupRelayDependencies,
  type SetupRelayOptions,
} from './setup-relay.js';
