import { randomBytes } from 'node:crypto';
import { UpstreamUnavailableError } from '@yield-vault/protocol';
import { ExponentialBackoff, handleAll, retry } from 'cockatiel';
import { z } from 'zod';
import type { ForkLogger } from '../ports.js';
import { createDeadline } from '../ephemeral/create-deadline.js';
import { createJsonPoster } from '../rpc/create-json-poster.js';
import { serveRpc, type RpcAnswer } from '../rpc/serve-rpc.js';
import type { ForkChain } from '../types.js';
import { hasResult, systemStorageAnswer } from './system-storage.js';

/** Where the forks of a chain read it. */
export interface UpstreamRelay {
  /** Of the loopback interface; carries none of the upstream's credentials. */
  readonly url: string;
  /**
   * @throws {UpstreamUnavailableError} no endpoint answers for this chain, or nobody waits any more
   */
  newestBlock(signal?: AbortSignal): Promise<bigint>;
  close(): Promise<void>;
}

// All in all, repetitions included: who asks a fork gives it five seconds, and is to learn that its chain is silent.
const deadlineMs = 4_000;
// Endpoints refuse calls that come too fast, and a fork reads many slots one after the other.
const again = { maxAttempts: 3, backoff: new ExponentialBackoff({ initialDelay: 150, maxDelay: 1_000 }) };
// Anvil asks for an account in one way and then in another: the second question must not wait as long as the first.
const silencePauseMs = 1_000;
const bodyLimit = 8 * 2 ** 20;
const quantity = z.object({ result: z.string().regex(/^0x[0-9a-f]+$/i) });

/**
 * Forward JSON-RPC to the endpoints of a chain, to the next one when one fails. Anvil shows the URL that it forks in
 * its error messages, in `anvil_nodeInfo` and in the list of processes; through this it has none to show.
 */
export async function startUpstreamRelay(
  chain: Pick<ForkChain, 'key' | 'chainId' | 'upstreamUrls'>,
  logger: ForkLogger,
): Promise<UpstreamRelay> {
  const poster = createJsonPoster();
  // Each endpoint gets its part, so that one that stalls leaves time for the next.
  const attemptMs = Math.ceil(deadlineMs / Math.max(1, chain.upstreamUrls.length));
  const verified = new Set<string>();
  // The one that answered last comes first.
  let urls = [...chain.upstreamUrls];
  let answeredAt = 0;
  let silentUntil = 0;

  const ask = async (url: string, method: string, signal: AbortSignal): Promise<bigint> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [] });
    const response = await poster.post(url, body, { deadlineMs: attemptMs, signal });
    return BigInt(quantity.parse(JSON.parse(response.body.toString())).result);
  };

  const verify = async (url: string, signal: AbortSignal): Promise<void> => {
    if (verified.has(url)) return;
    const chainId = Number(await ask(url, 'eth_chainId', signal));
    if (chainId !== chain.chainId) {
      const fields = { chain: chain.key, expected: chain.chainId, found: chainId };
      logger.warn(fields, 'an RPC endpoint serves another chain and is not used');
      throw new Error(`it serves chain ${String(chainId)}`);
    }
    verified.add(url);
  };

  /** Try the endpoints in turn. */
  const anyOf = async <T>(
    caller: AbortSignal | undefined,
    use: (url: string, signal: AbortSignal) => Promise<T>,
  ): Promise<T> => {
    for (const url of urls) {
      const attempt = createDeadline(attemptMs, [caller]);
      try {
        attempt.signal.throwIfAborted();
        await verify(url, attempt.signal);
        const result = await use(url, attempt.signal);
        urls = [url, ...urls.filter((other) => other !== url)];
        answeredAt = performance.now();
        return result;
      } catch {
        // The next one; what went wrong may carry the URL.
      } finally {
        attempt.clear();
      }
    }
    throw new UpstreamUnavailableError({
      detail: `No RPC endpoint of ${chain.key} answers.`,
      details: { dependency: `rpc:${chain.key}` },
      retryAfterSeconds: 5,
    });
  };

  /** @returns undefined when no endpoint answers */
  const forward = async (body: Buffer, caller: AbortSignal): Promise<RpcAnswer | undefined> => {
    const startedAt = performance.now();
    if (startedAt < silentUntil) return undefined;
    const all = createDeadline(deadlineMs, [caller]);
    const once = () =>
      anyOf(all.signal, async (url, signal) => {
        const answer = await poster.post(url, body, { deadlineMs: attemptMs, signal });
        if (answer.status !== 200 || !looksLikeJson(answer.body)) throw new Error('it answered no JSON-RPC');
        return answer;
      });
    try {
      return await all.race(retry(handleAll, again).execute(once, all.signal));
    } catch {
      // One call that takes long says nothing while others are answered.
      if (all.hasPassed() && answeredAt < startedAt) silentUntil = performance.now() + silencePauseMs;
      return undefined;
    } finally {
      all.clear();
    }
  };

  const answer = async (body: Buffer, caller: AbortSignal): Promise<RpcAnswer> => {
    const answered = await forward(body, caller);
    const spare = systemStorageAnswer(body);
    if (spare !== undefined && !(answered && hasResult(answered.body))) return { status: 200, body: spare };
    // Not 503, after which Anvil would ask once more: its caller would have gone by then.
    return answered ?? { status: 502, body: '{}' };
  };

  // Only who knows the token gets at the upstream.
  const token = randomBytes(16).toString('hex');
  const server = await serveRpc({
    host: '127.0.0.1',
    port: 0,
    bodyLimit,
    handle: (path, body, signal) =>
      path === `/${token}` ? answer(body, signal) : Promise.resolve({ status: 404, body: '{}' }),
  });
  return {
    url: `http://127.0.0.1:${String(server.port)}/${token}`,
    newestBlock: (caller) => anyOf(caller, (url, signal) => ask(url, 'eth_blockNumber', signal)),
    close: async () => {
      await server.close();
      await poster.close();
    },
  };
}

function looksLikeJson(body: Buffer): boolean {
  return body[0] === 0x7b || body[0] === 0x5b;
}
