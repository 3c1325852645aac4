import type { AddressBook } from '../types.js';
import { knownTokens } from './known-tokens.js';

/**
 * What is trusted unless something else is said: the suites whose paymaster is Circle's. Their addresses follow from
 * code alone, hence they cannot be anything else on any chain. A deployment with a paymaster of its own publishes its
 * entry, for `extendAddressBook`.
 */
export const agentAddressBook: AddressBook = { deployments: [], tokens: knownTokens };
