import { PreflightSimulationError } from '@yield-vault/protocol';
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
  const cause = aaCode === 'AA25' ? ' Another operation of this wallet was included first.' : '';
  throw new PreflightSimulationError({
    detail: `The operation would fail: ${revertReason}.${cause}`,
    details: { revertReason, ...(aaCode !== undefined && { aaCode }) },
  });
}
