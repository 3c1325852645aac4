import { quoteReason } from '@yield-vault/contracts';
import { aaCodes, errorCatalogue, findAaCode, PreflightSimulationError } from '@yield-vault/protocol';
import type { SimulatorPort } from './ports.js';
import type { VerifiedIntent } from './types.js';

/**
 * Simulate an intent right before it is sent. Each time counts, because the chain may have changed since the last one.
 *
 * @throws {PreflightSimulationError} when it would fail
 * @throws {ServiceError} when it cannot be simulated now
 */
export async function requirePreflight(
  { chain, operation, userOpHash }: VerifiedIntent,
  simulator: SimulatorPort,
): Promise<void> {
  const result = await simulator.simulate({
    chain: chain.key,
    operation,
    userOpHash,
    pendingDelegation: operation.factory && chain.contracts.account,
  });
  if (result.success) return;
  const { revertReason, aaCode } = result;
  const code = findAaCode(aaCode ?? '');
  // The chain is asked afterwards whether it was this one.
  const isNonceUsed = code === 'AA25';
  const cause = isNonceUsed ? ' Another operation of this wallet used the nonce.' : '';
  throw new PreflightSimulationError({
    detail: `The operation would fail: ${quoteReason(revertReason)}.${cause}`,
    details: { revertReason, ...(aaCode !== undefined && { aaCode }) },
    nextAction: isNonceUsed
      ? errorCatalogue.TRANSACTION_SUBMISSION_FAILED.nextAction
      : code && aaCodes[code].nextAction,
  });
}
