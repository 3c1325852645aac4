import type { FundWalletResponse } from '@yield-vault/protocol';
import type { FundedBalances } from '../types.js';
import { fundingLimits, type TestingLimits } from './funding-limits.js';
import type { CheckedFunding } from './read-funding.js';

/** Say what a wallet was given and what it has now. */
export function buildFundWalletResponse(
  { chain, address, ethWei, usdcBaseUnits }: CheckedFunding,
  balances: FundedBalances,
  facts: { readonly environment: string; readonly forkId: string; readonly limits: TestingLimits },
): FundWalletResponse {
  return {
    success: true,
    environment: facts.environment,
    chain: chain.key,
    chainId: chain.chainId,
    walletAddress: address,
    forkId: facts.forkId,
    funded: {
      eth: {
        requestedAmountWei: ethWei.toString(),
        resultingBalanceWei: balances.ethWei.toString(),
      },
      usdc: {
        tokenAddress: chain.usdc.address,
        requestedAmountBaseUnits: usdcBaseUnits.toString(),
        resultingBalanceBaseUnits: balances.usdcBaseUnits.toString(),
      },
    },
    limits: fundingLimits(facts.limits),
    allowlistEnforced: facts.limits.allowlist !== null,
  };
}
