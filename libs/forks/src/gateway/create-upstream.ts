import { asUpstreamError } from '@yield-vault/chains';
import { ExponentialBackoff, handleWhen, retry } from 'cockatiel';
import { Agent } from 'undici';
import { BatchRefusedError, postBatch } from './post-batch.js';
import type { RpcCall, RpcOutcome } from './types.js';

const defaultAttempts = 3;
// A small machine behind the address must not be asked by everybody at once.
const connections = 16;
const retryPause = { initialDelay: 50, maxDelay: 500 };

/** The RPC endpoints of a chain, as a gateway asks them. */
export interface Upstream {
  /**
   * Ask many things in as few HTTP requests as the upstream takes.
   *
   * @returns the outcomes in the order of the calls: an error of the node is an outcome
   * @throws {UpstreamUnavailableError} no endpoint gives a usable answer within the deadline
   */
  ask(calls: readonly RpcCall[]): Promise<readonly RpcOutcome[]>;
  /** Most calls that go in one HTTP request, as far as is known. Lowered while an upstream shows what it takes. */
  readonly batchLimit: number;
  close(): Promise<void>;
}

export interface UpstreamOptions {
  readonly dependency: string;
  readonly urls: readonly string[];
  readonly deadlineMs: number;
  readonly batchLimit: number;
}

/** Make the client of a chain's endpoints: failover in their order, retries, a deadline, batches. */
export function createUpstream({ dependency, urls, deadlineMs, batchLimit }: UpstreamOptions): Upstream {
  const dispatcher = new Agent({ connections });
  const attempts = Math.max(defaultAttempts, urls.length);
  // Each attempt gets its part, so that one endpoint that stalls leaves time for the next.
  const timeoutMs = Math.max(1, Math.floor(deadlineMs / attempts));
  const again = retry(
    handleWhen((error) => !(error instanceof BatchRefusedError)),
    { maxAttempts: attempts - 1, backoff: new ExponentialBackoff(retryPause) },
  );
  let limit = batchLimit;
  let preferred = 0;

  const send = (calls: readonly RpcCall[]) =>
    again.execute(async ({ attempt }) => {
      const turn = (preferred + attempt) % urls.length;
      const outcomes = await postBatch({ url: urls[turn]!, dependency, dispatcher, timeoutMs }, calls);
      if (attempt > 0) preferred = turn;
      return outcomes;
    });

  const sendWithin = async (calls: readonly RpcCall[]): Promise<readonly RpcOutcome[]> => {
    if (calls.length > limit) return inChunks(calls);
    try {
      return await send(calls);
    } catch (error) {
      if (!(error instanceof BatchRefusedError) || calls.length === 1) throw error;
      limit = Math.min(limit, Math.ceil(calls.length / 2));
      return inChunks(calls);
    }
  };
  const inChunks = async (calls: readonly RpcCall[]) => {
    const size = limit;
    const chunks = Array.from({ length: Math.ceil(calls.length / size) }, (_, index) =>
      calls.slice(index * size, (index + 1) * size),
    );
    return (await Promise.all(chunks.map(sendWithin))).flat();
  };

  return {
    async ask(calls) {
      try {
        return calls.length === 0 ? [] : await sendWithin(calls);
      } catch (error) {
        throw asUpstreamError(error, dependency) ?? error;
      }
    },
    get batchLimit() {
      return limit;
    },
    close: () => dispatcher.destroy(),
  };
}
