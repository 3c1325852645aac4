export { createIntentBuilder } from './create-intent-builder.js';
export type { VaultCatalogue } from './ports.js';
export type { IntentBuilder, IntentBuilderDependencies, IntentBuilderOptions } from './types.js';
