import { canonical, localPaymasterOwner, localContracts } from '@yield-vault/contracts';
import type { ForkChain } from '../../src/types.js';

/** Build a chain that forks the given endpoints; it stands for Base. */
export function buildForkChain(overrides: Partial<ForkChain> = {}): ForkChain {
  return {
    key: 'base',
    chainId: 8453,
    upstreamUrls: [],
    opStack: true,
    entryPoint: canonical.entryPointV08,
    contracts: { ...localContracts, paymasterOwner: localPaymasterOwner },
    paymaster: 'own',
    usdc: { address: canonical.usdc[8453], balanceSlot: 9 },
    bundlerAccounts: [],
    ...overrides,
  };
}
