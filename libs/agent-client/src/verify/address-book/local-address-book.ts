import { canonical, paymasterAllowanceCap, suite } from '@yield-vault/contracts';
import { entryPoints } from '@yield-vault/protocol';
import type { AddressBook, BookDeployment } from '../types.js';
import { knownTokens } from './known-tokens.js';
import { ownPaymasterTerms } from './paymaster-terms.js';

/**
 * Trust the suite whose paymaster belongs to the first account of every local node. Its key is public: this book is
 * for chains without value on them.
 */
export const localAddressBook: AddressBook = {
  deployments: [local('base', 8453), local('ethereum', 1)],
  tokens: knownTokens,
};

function local(chain: string, chainId: 1 | 8453): BookDeployment {
  return {
    chain,
    chainId,
    entryPoint: entryPoints['0.8'],
    account: suite.account,
    validator: suite.validator,
    executor: suite.executor,
    paymaster: { ...ownPaymasterTerms, address: suite.paymaster },
    usdc: canonical.usdc[chainId],
    allowanceCap: paymasterAllowanceCap,
  };
}
