import { PreflightSimulationError } from '@yield-vault/protocol';
import { findInclusion } from './chain/locate-operation.js';

import type { SimulatorPort } from './ports.js';
import type { Search, VerifiedIntent } from './types.js';

/**
 * Simulate an intent right before it is sent. Each time counts, because the chain may have changed since the last one.
 *
 * @returns false when its nonce is used, and possibly by this very operation: then there is nothing to send
 * @throws {PreflightSimulationError} when it would fail
 * @throws {ServiceError} when it cannot be simulated now
 */
export async function passesPreflight(
  intent: VerifiedIntent,
  simulator: SimulatorPort | undefined,
  search: Search,
): Promise<boolean> {
  const failure = simulator && (await simulateIntent(intent, simulator));
  if (!failure) return true;
  // An included operation cannot run again, which is no failure of it.
  if (failure.details.aaCode === 'AA25') {
    const location = await findInclusion(intent, search);
    if (location.kind === 'included' || location.kind === 'unclear') return false;
    // The simulation knows of a use of the nonce that our node lacks: it may be this very operation.
    if (location.kind === 'open' && location.isNext) return false;
  }
  throw failure;
}

async function simulateIntent(
  { chain, operation, userOpHash }: VerifiedIntent,
  simulator: SimulatorPort,
): Promise<PreflightSimulationError | undefined> {
  const result = await simulator.simulate({
    ...{ chain: chain.key, operation, userOpHash },
    ...(operation.factory && { pendingDelegation: chain.contracts.account }),
  });
  if (result.success) return undefined;
  const { revertReason, aaCode } = result;
  const cause = aaCode === 'AA25' ? ' Another operation of this wallet was included first.' : '';
  return new PreflightSimulationError({
    detail: `The operation would fail: ${revertReason}.${cause}`,
    details: { revertReason, ...(aaCode !== undefined && { aaCode }) },
  });
}
