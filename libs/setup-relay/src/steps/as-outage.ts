import { asUpstreamError } from '@yield-vault/chains';
import { ForkNotRunningError, type UpstreamUnavailableError } from '@yield-vault/protocol';
import type { SetupChain } from '../ports.js';

/**
 * Recognise that the chain's node gave no answer: ForkNotRunningError where the chain is a managed fork, which is
 * recreated, UpstreamUnavailableError elsewhere.
 *
 * @param recognise - what counts as an outage
 * @returns `undefined` for everything else
 */
export function asOutage(
  error: unknown,
  chain: Pick<SetupChain, 'key' | 'relayMode'>,
  recognise: (error: unknown, dependency: string) => UpstreamUnavailableError | undefined = asUpstreamError,
): UpstreamUnavailableError | ForkNotRunningError | undefined {
  const outage = recognise(error, `rpc:${chain.key}`);
  if (!outage || chain.relayMode === 'chain') return outage;
  return new ForkNotRunningError({
    detail: `The fork of ${chain.key} does not answer.`,
    details: { chain: chain.key },
    retryAfterSeconds: outage.retryAfterSeconds,
    cause: error,
  });
}
