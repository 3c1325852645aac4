import { prepare } from './prepare.js';
import type { IntentBuilder, IntentBuilderDependencies } from './types.js';

/**
 * Make the builder of setups and intents.
 *
 * @example
 * const builder = createIntentBuilder({ chains, vaults, options });
 * const response = await builder.prepare({ operation: 'deposit', chain: 'base', agentAddress, vaultId, asset: 'USDC', amount: '25' });
 */
export function createIntentBuilder(dependencies: IntentBuilderDependencies): IntentBuilder {
  return { prepare: (request) => prepare(dependencies, request) };
}
