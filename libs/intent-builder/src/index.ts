export { createIntentBuilder } from './create-intent-builder.js';
export { entryHazards, type EntryHazard } from './entry-hazards.js';
export { largestCallGas } from './largest-call-gas.js';
export type { VaultCatalogue } from './ports.js';
export type { IntentBuilder, IntentBuilderDependencies, IntentBuilderOptions } from './types.js';
