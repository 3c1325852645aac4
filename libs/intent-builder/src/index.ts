export { largestCallGas } from './chained-reads.js';
export { loneBundleGas } from './gas/limits.js';
export { intentsSchema, setupSchema, type IntentBuilderOptions } from './intents-schema.js';
export { createIntentBuilder } from './prepare.js';
export type {
  DepositLimitsPort,
  IntentBuilder,
  IntentBuilderDependencies,
  VaultCatalogue,
  VaultCosts,
} from './types.js';
export { vaultChecks, type VaultCheck } from './vault-checks.js';
