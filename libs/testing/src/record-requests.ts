import { subscribe, unsubscribe } from 'node:diagnostics_channel';

/** A request of our HTTP client, which is undici without `fetch`. */
export interface SentRequest {
  readonly origin: string;
  readonly body: string;
}

/** Run something, and list the requests with a body that this process begins meanwhile. Those of `fetch` are left out. */
export async function recordRequests(run: () => Promise<unknown>): Promise<readonly SentRequest[]> {
  const sent: SentRequest[] = [];
  const note = (message: unknown) => {
    const { origin, body } = (message as { request: { origin: string; body: unknown } }).request;
    if (Buffer.isBuffer(body)) sent.push({ origin, body: body.toString() });
  };
  subscribe('undici:request:create', note);
  await run().finally(() => unsubscribe('undici:request:create', note));
  return sent;
}
