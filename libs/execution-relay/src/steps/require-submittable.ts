import { invalid } from '../errors.js';
import type { VaultMove, VaultsPort } from '../ports.js';
import type { VerifiedIntent } from '../types.js';
import { checkCallData } from './check-call-data.js';
import { checkPolicy } from './check-policy.js';
import { requireDue } from './check-window.js';

/**
 * Check what may change after an intent was submitted, and then no longer matters: it keeps the rules of the deployment,
 * it is due, and every vault that it enters is listed. A vault that a gate keeps out of discover can be left, but not
 * entered.
 *
 * @param nowMs - Unix milliseconds
 * @returns what it does at the vaults
 * @throws {TransactionValidationError} with reason WRONG_NONCE_KEY, WRONG_PAYMASTER, CALLDATA_NOT_ALLOWED,
 *   UNLISTED_VAULT, INTENT_EXPIRED or INTENT_NOT_YET_VALID
 */
export function requireSubmittable(
  intent: VerifiedIntent,
  vaults: VaultsPort,
  nowMs: number,
): readonly VaultMove[] {
  const { chain, operation } = intent;
  checkPolicy(operation, chain);
  const moves = checkCallData(operation.callData, chain, vaults);
  requireDue(intent, nowMs);
  const entered = moves.filter(({ hook }) => hook === 'deposit');
  for (const { vaultAddress: vault } of entered) {
    if (vaults.byAddress(chain.chainId, vault)?.listed) continue;
    throw invalid('UNLISTED_VAULT', `The vault ${vault} takes no deposits through this service.`, { vault });
  }
  return moves;
}
