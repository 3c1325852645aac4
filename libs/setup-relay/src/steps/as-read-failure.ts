import { asUpstreamError } from '@yield-vault/chains';
import { ForkNotRunningError } from '@yield-vault/protocol';
import type { SetupChain } from '../ports.js';

/**
 * Read a failure of the chain's node: ForkNotRunningError where the chain is a managed fork, which is recreated,
 * UpstreamUnavailableError elsewhere; anything else stays what it is.
 */
export function asDependencyError(error: unknown, chain: Pick<SetupChain, 'key' | 'relayMode'>): unknown {
  const outage = asUpstreamError(error, `rpc:${chain.key}`);
  if (!outage || chain.relayMode === 'chain') return outage ?? error;
  return new ForkNotRunningError({
    detail: `The fork of ${chain.key} does not answer.`,
    details: { chain: chain.key },
    retryAfterSeconds: outage.retryAfterSeconds,
    cause: error,
  });
}
