import { unread } from '../src/measuring/contract-facts.js';
import type { ContractFacts } from '../src/ports.js';

/** Facts of contracts that name nobody. */
export function buildContractFacts(
  overrides: Partial<Omit<ContractFacts, 'governance'>> & {
    readonly governance?: Partial<ContractFacts['governance']>;
  } = {},
): ContractFacts {
  const { governance, ...rest } = overrides;
  return {
    vault: 1,
    checkedAt: 1_790_000_000,
    governance: {
      admin: null,
      timelockSeconds: null,
      ...unread,
      ...governance,
    },
    isAdminPartial: false,
    fees: { performancePercent: null, managementPercent: null },
    markets: [],
    words: {},
    flags: [],
    ...rest,
  };
}
