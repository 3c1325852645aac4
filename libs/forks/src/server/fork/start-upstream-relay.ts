import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sendHttp } from '@yield-vault/chains';
import { UpstreamUnavailableError, type LoggerPort } from '@yield-vault/protocol';
import { ExponentialBackoff, handleAll, retry } from 'cockatiel';
import { z } from 'zod';
import { createDeadline } from '../../create-deadline.js';
import { parseJson, rpcCall } from '../../json-rpc.js';
import type { ForkChain } from '../../types.js';
import { hasResult, systemStorageResponse } from './system-storage.js';

/** The local address through which the forks of a chain read it. */
export interface UpstreamRelay {
  /** A loopback address without the credentials of the upstream. */
  readonly url: string;
  /**
   * @throws {UpstreamUnavailableError} no endpoint responds for this chain, or the signal is aborted
   */
  newestBlock(signal?: AbortSignal): Promise<bigint>;
  close(): Promise<void>;
}

// For all retries together. Callers of a fork wait five seconds, and must learn that the upstream is silent.
const deadlineMs = 4_000;
// Endpoints limit the rate of calls, and a fork reads many slots in a row.
const retryPolicy = {
  maxAttempts: 3,
  backoff: new ExponentialBackoff({ initialDelay: 150, maxDelay: 1_000 }),
};
// Anvil reads an account in one way and then in another. The second read must not wait as long as the first.
const silencePauseMs = 1_000;
// Longer than clients keep a connection, so that none is closed while a request is on its way.
const keepAliveMs = 65_000;
const longestRefusal = 1_000;
const quantity = z.object({ result: z.string().regex(/^0x[0-9a-f]+$/i) });

/**
 * Forward JSON-RPC to the endpoints of a chain, and to the next endpoint when one fails. Anvil shows the URL that it
 * forks in error messages, in `anvil_nodeInfo` and in the list of processes, so it must not hold credentials.
 */
export async function startUpstreamRelay(
  chain: Pick<ForkChain, 'key' | 'chainId' | 'upstreamUrls'>,
  logger: LoggerPort,
): Promise<UpstreamRelay> {
  // Each endpoint gets an equal share, so that a slow one leaves time for the next.
  const attemptMs = Math.ceil(deadlineMs / Math.max(1, chain.upstreamUrls.length));
  const verified = new Set<string>();
  // The endpoint that responded last comes first.
  let urls = [...chain.upstreamUrls];
  let respondedAt = 0;
  let silentUntil = 0;

  const read = async (url: string, method: string, signal: AbortSignal): Promise<bigint> => {
    const body = JSON.stringify(rpcCall(method));
    const response = await sendHttp(url, { body, deadlineMs: attemptMs, signals: [signal] });
    return BigInt(quantity.parse(parseJson(response.body)).result);
  };

  const verify = async (url: string, signal: AbortSignal): Promise<void> => {
    if (verified.has(url)) return;
    const found = Number(await read(url, 'eth_chainId', signal));
    if (found !== chain.chainId) {
      const fields = { chain: chain.key, expected: chain.chainId, found };
      logger.warn(fields, 'an RPC endpoint serves another chain and is not used');
      throw new Error(`it serves chain ${String(found)}`);
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
        respondedAt = performance.now();
        return result;
      } catch {
        // Try the next endpoint. The error may contain the URL, so it is not logged.
      } finally {
        attempt.clear();
      }
    }
    throw new UpstreamUnavailableError({
      detail: `No RPC endpoint of ${chain.key} responds.`,
      details: { dependency: `rpc:${chain.key}` },
      retryAfterSeconds: 5,
    });
  };

  /** @returns undefined when no endpoint responds */
  const forward = async (body: Buffer, caller: AbortSignal): Promise<Buffer | undefined> => {
    const startedAt = performance.now();
    if (startedAt < silentUntil) return undefined;
    const all = createDeadline(deadlineMs, [caller]);
    let lagging: Buffer | undefined;
    const once = () =>
      anyOf(all.signal, async (url, signal) => {
        const response = await sendHttp(url, { body, deadlineMs: attemptMs, signals: [signal] });
        if (response.status !== 200 || !looksLikeJson(response.body))
          throw new Error('the response is not JSON-RPC');
        if (lacksBlock(body, response.body)) {
          lagging = response.body;
          throw new Error('the node lacks the block');
        }
        return response.body;
      });
    try {
      return await all.race(retry(handleAll, retryPolicy).execute(once, all.signal));
    } catch {
      // A single slow call proves nothing while others succeed.
      if (all.hasPassed() && respondedAt < startedAt) silentUntil = performance.now() + silencePauseMs;
      return lagging;
    } finally {
      all.clear();
    }
  };

  // Other processes of this machine must not use the upstream.
  const token = randomBytes(16).toString('hex');
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const send = (status: number, text: string | Buffer) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(text);
    if (request.url !== `/${token}`) return void send(404, '{}');
    const body = Buffer.concat((await request.toArray()) as Buffer[]);
    const caller = new AbortController();
    response.once('close', () => {
      if (!response.writableFinished) caller.abort();
    });
    const forwarded = await forward(body, caller.signal);
    const spare = systemStorageResponse(body);
    if (spare !== undefined && !(forwarded && hasResult(forwarded))) return void send(200, spare);
    // Not 503, which Anvil would retry after its caller has given up.
    send(forwarded ? 200 : 502, forwarded ?? '{}');
  };
  const server = createServer((request, response) => {
    respond(request, response).catch(() => response.destroy());
  });
  server.keepAliveTimeout = keepAliveMs;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/${token}`,
    newestBlock: (caller) => anyOf(caller, (url, signal) => read(url, 'eth_blockNumber', signal)),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

// Behind a balancer, a node may not have the newest block yet, where the fork begins.
function lacksBlock(request: Buffer, response: Buffer): boolean {
  const isOfBlock = request.includes('"eth_getBlockByNumber"');
  const refusal = isOfBlock ? /"result":\s*null/ : /(header|block) not found|unknown block/;
  return response.length < longestRefusal && refusal.test(response.toString());
}

function looksLikeJson(body: Buffer): boolean {
  return body[0] === 0x7b || body[0] === 0x5b;
}
