import { canonical, chainFacts, localContracts, localPaymasterOwner } from '@yield-vault/contracts';
import type { ForkChain } from '../../src/types.js';

/** Build a chain that forks the given endpoints; it stands for Base. */
export function buildForkChain(overrides: Partial<ForkChain> = {}): ForkChain {
  return {
    key: 'base',
    chainId: 8453,
    upstreamUrls: [],
    opStack: true,
    entryPoint: canonical.entryPointV08,
    contracts: { ...localContracts(8453), paymasterRoles: { owner: localPaymasterOwner } },
    paymaster: 'own',
    usdc: { address: chainFacts(8453).usdc.address, balanceSlot: 9 },
    bundlerAccounts: [],
    ...overrides,
  };
}
