import { canonical, paymasterAllowanceCap, suite } from '@yield-vault/contracts';
import { entryPoints } from '@yield-vault/protocol';
import type { AddressBook, BookDeployment } from '../types.js';
import { knownTokens } from './known-tokens.js';
import { circlePaymasterTerms } from './paymaster-terms.js';

const common = { validator: suite.validator, allowanceCap: paymasterAllowanceCap };

// The executor's code names the paymaster, and Circle's has one address on all chains.
const v08 = {
  ...common,
  entryPoint: entryPoints['0.8'],
  account: suite.account,
  executor: '0x24872E442ec6C3c827EceCeB545D8B18f7809A22',
  paymaster: { ...circlePaymasterTerms, address: '0x0578cFB241215b77442a541325d6A4E6dFE700Ec' },
} as const;

const v07 = {
  ...common,
  entryPoint: entryPoints['0.7'],
  account: '0x8a2AcF235d4dbC89b199B4469f9e7358534787B4',
  executor: '0x60A27F41502817c024dEE19897014b83A7eB6aFB',
  paymaster: { ...circlePaymasterTerms, address: '0x6C973eBe80dCD8660841D4356bf15c32460271C9' },
} as const;

const deployments: readonly BookDeployment[] = [
  { chain: 'base', chainId: 8453, usdc: canonical.usdc[8453], ...v08 },
  { chain: 'base', chainId: 8453, usdc: canonical.usdc[8453], ...v07 },
  { chain: 'ethereum', chainId: 1, usdc: canonical.usdc[1], ...v08 },
];

/**
 * What is trusted unless something else is said: the suites whose paymaster is Circle's. Their addresses follow from
 * their code, so that nothing else can be there on any chain. A deployment with a paymaster of its own publishes its
 * entry, for `extendAddressBook`.
 */
export const agentAddressBook: AddressBook = { deployments, tokens: knownTokens };
