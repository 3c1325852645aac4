import { suite } from '@yield-vault/contracts';
import type { AddressBook } from '../types.js';
import { knownTokens } from './known-tokens.js';
import { ownDeployment } from './own-deployment.js';

/**
 * Trust the suite whose paymaster belongs to the first account of every local node. Its key is public: this book is
 * for chains without value on them.
 */
export const localAddressBook: AddressBook = {
  deployments: [
    ownDeployment({ chain: 'base', chainId: 8453 }, suite),
    ownDeployment({ chain: 'ethereum', chainId: 1 }, suite),
  ],
  tokens: knownTokens,
};
