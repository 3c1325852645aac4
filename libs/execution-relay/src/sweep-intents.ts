import { isReadRefusal } from '@yield-vault/chains';
import { ServiceError, UpstreamUnavailableError } from '@yield-vault/protocol';
import type { ExecutionChain, IntentStore, UnresolvedIntent } from './ports.js';

// A node that failed for as many intents of a run as are resolved at a time counts as down.
const batch = 5_000;
const concurrency = 8;

/**
 * Resume every intent of a chain that no call works on and that the chain may have decided.
 *
 * @throws {AggregateError} at the end, with every refusal of a node and every unexpected error
 */
export async function sweepIntents(
  store: IntentStore,
  chain: Pick<ExecutionChain, 'chainId' | 'confirmations'>,
  resumeOne: (intent: UnresolvedIntent) => Promise<void>,
  signals: readonly (AbortSignal | undefined)[],
): Promise<void> {
  const isEnding = () => signals.some((signal) => signal?.aborted);
  const unexpected: unknown[] = [];
  const left = [...(await store.unresolved(chain, batch))];
  let outages = 0;
  const work = async () => {
    for (let next = left.shift(); next && !isEnding(); next = left.shift()) {
      if (outages >= concurrency) return;
      await resumeOne(next).catch((error: unknown) => {
        // A `ServiceError` is a result, or an outage that the next run retries. A node's refusal may be permanent.
        if (!(error instanceof ServiceError) || isReadRefusal(error)) unexpected.push(error);
        else if (error instanceof UpstreamUnavailableError) outages++;
      });
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  if (unexpected.length > 0) throw new AggregateError(unexpected, 'Some intents could not be resolved.');
}
