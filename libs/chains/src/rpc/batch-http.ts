import DataLoader from 'dataloader';
import { createTransport, RpcRequestError, type EIP1193RequestFn, type Transport } from 'viem';
import { createHttpPost } from './create-http-post.js';
import { isReadMethod } from './guard-transport.js';

interface Call {
  readonly method: string;
  readonly params?: unknown;
}

interface RpcResponse {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** How requests to a node are made. */
export interface BatchHttpOptions {
  /** Longest time of one HTTP request. */
  readonly timeoutMs: number;
  /** Most calls of one HTTP request. */
  readonly batchSize: number;
}

/**
 * Ask a node over HTTP, so that the calls of one turn of the event loop travel together. The transport of viem that
 * does the same waits for a timer, which is later than that by two milliseconds.
 */
export function batchHttp(url: string, { timeoutMs, batchSize }: BatchHttpOptions): Transport {
  const post = createHttpPost(url, timeoutMs);
  const sendAll = async (calls: readonly Call[]): Promise<readonly (RpcResponse | Error)[]> => {
    const bodies = calls.map((call, id) => ({ jsonrpc: '2.0', ...call, id }));
    // Alone it is no batch, which not every node takes.
    const [alone] = bodies.length === 1 ? bodies : [];
    if (alone) return [(await post(alone)) as RpcResponse];
    const body = await post(bodies);
    // Public nodes refuse more than ten calls. Nothing that changes the chain is sent twice.
    if (isBatchRefusal(body) && calls.every(({ method }) => isReadMethod(method))) {
      const half = Math.ceil(calls.length / 2);
      return (await Promise.all([sendAll(calls.slice(0, half)), sendAll(calls.slice(half))])).flat();
    }
    return toResponses(body, bodies.length);
  };
  const loader = new DataLoader<Call, RpcResponse>(sendAll, {
    cache: false,
    maxBatchSize: batchSize,
    batchScheduleFn: (send) => setImmediate(send),
  });
  const request = async (body: Call): Promise<unknown> => {
    const { error, result } = await loader.load(body);
    if (error) throw new RpcRequestError({ body: { ...body }, error, url });
    return result;
  };
  return ({ retryCount }) =>
    createTransport({
      key: 'batch-http',
      name: 'Batched HTTP JSON-RPC',
      type: 'http',
      retryCount,
      request: request as EIP1193RequestFn,
    });
}

/** Recognise the refusal of a whole batch for its size: an error in place of the responses, or as the only one. */
function isBatchRefusal(body: unknown): boolean {
  const [refusal, ...others] = [body].flat() as RpcResponse[];
  // After a refusal for the rate, more requests would only be refused again.
  return others.length === 0 && /^(?!.*\brate\b).*batch/is.test(refusal?.error?.message ?? '');
}

/** Sort responses, which arrive in any order, by their calls. */
function toResponses(body: unknown, count: number): readonly (RpcResponse | Error)[] {
  // An error about the whole batch is a result of none of its calls.
  if (!Array.isArray(body)) throw new TypeError('the batch has no responses');
  const byId = new Map((body as (RpcResponse & { id?: unknown })[]).map((each) => [String(each.id), each]));
  return Array.from(
    { length: count },
    (_, id) => byId.get(String(id)) ?? new TypeError('a call has no response'),
  );
}
