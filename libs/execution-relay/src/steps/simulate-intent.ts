import { aaCodes, findAaCode, PreflightSimulationError } from '@yield-vault/protocol';
import type { SimulationRequest, SimulatorPort } from '../ports.js';
import type { VerifiedIntent } from '../types.js';
import { vaultHooksOf } from './check-call-data.js';

/**
 * Try an intent on a copy of the chain.
 *
 * @returns why it may not be submitted; `undefined` when it may
 * @throws {ServiceError} when it cannot be tried now
 */
export async function simulateIntent(
  intent: VerifiedIntent,
  simulator: SimulatorPort,
): Promise<PreflightSimulationError | undefined> {
  const verdict = await simulator.simulate(toRequest(intent));
  if (verdict.success) return undefined;
  const { revertReason, aaCode } = verdict;
  const known = aaCode === undefined ? undefined : findAaCode(aaCode);
  return new PreflightSimulationError({
    detail: `The operation would fail: ${revertReason}.`,
    details: { revertReason, ...(aaCode !== undefined && { aaCode }) },
    ...(known && { nextAction: aaCodes[known].nextAction }),
  });
}

function toRequest({ chain, operation, userOpHash }: VerifiedIntent): SimulationRequest {
  const hooks = vaultHooksOf(operation.callData, chain);
  return {
    chain: chain.key,
    operation,
    userOpHash,
    tokens: [...new Set(hooks.flatMap(({ token, vault }) => [token, vault]))],
    template: hooks.map(({ hook, vault }) => `${hook}:${vault.toLowerCase()}`).join('+'),
  };
}
