import { invalid } from '../errors.js';
import type { VaultsPort } from '../ports.js';
import type { VerifiedIntent } from '../types.js';
import { requireDue } from './check-window.js';

/**
 * Check what may change after an intent was submitted, and then no longer matters: it is due, and every vault that it
 * enters is listed. A vault that a gate keeps out of discover can be left, but not entered.
 *
 * @param nowMs - Unix milliseconds
 * @throws {TransactionValidationError} with reason INTENT_EXPIRED, INTENT_NOT_YET_VALID or UNLISTED_VAULT
 */
export function requireSubmittable(intent: VerifiedIntent, vaults: VaultsPort, nowMs: number): void {
  requireDue(intent, nowMs);
  const entered = intent.vaultHooks.filter(({ hook }) => hook === 'deposit');
  for (const { vault } of entered) {
    if (vaults.byAddress(intent.chain.chainId, vault)?.listed) continue;
    throw invalid('UNLISTED_VAULT', `The vault ${vault} takes no deposits through this service.`, { vault });
  }
}
