import type { FundingLimits } from '@yield-vault/protocol';
import type { Address } from 'viem';

/** What the testing tools may mint. */
export interface TestingLimits {
  readonly maxEthWeiPerCall: bigint;
  readonly maxUsdcBaseUnitsPerCall: bigint;
  /** Wallets that may be funded; `null`: every wallet. */
  readonly allowlist: readonly Address[] | null;
}

/** Write the caps as the interface shows them. */
export function fundingLimits(limits: TestingLimits): FundingLimits {
  return {
    maxEthWeiPerCall: limits.maxEthWeiPerCall.toString(),
    maxUsdcBaseUnitsPerCall: limits.maxUsdcBaseUnitsPerCall.toString(),
  };
}
