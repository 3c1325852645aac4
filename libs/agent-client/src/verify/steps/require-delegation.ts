import { parseDelegation } from '@yield-vault/smart-account';
import { isAddressEqual, type Address } from 'viem';
import { demand } from '../refused.js';
import type { BookDeployment, SetupExpectations } from '../types.js';
import type { SetupAnswer } from './read-setup.js';

/**
 * Check that a setup takes the place of no delegation to another implementation, unless that is wanted; a setup of type
 * `modules`, which replaces nothing, would call the code of that implementation.
 *
 * @returns the implementation that it takes the place of
 */
export function requireDelegation(
  { setup }: SetupAnswer,
  { account }: BookDeployment,
  { walletCode = '0x', replaceDelegation = false }: SetupExpectations,
): Address | undefined {
  const present = parseDelegation(walletCode);
  if (present === undefined || isAddressEqual(present, account)) return undefined;
  const delegated = `The wallet is delegated to ${present}`;
  const [field, reason] = ['setup.setupType', 'DELEGATION_MISMATCH'] as const;
  demand(setup.setupType === 'full', reason, field, `${delegated}, which this setup would call.`);
  demand(replaceDelegation, reason, field, `${delegated}; only replaceDelegation lets a setup replace it.`);
  return present;
}
