import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listen } from '@yield-vault/testing';

/** A proxy in front of a real server, which handles every request; its responses get lost. */
export interface LossyProxy {
  readonly url: string;
  /** Bodies that the server handled on a path, oldest first. */
  handledOn(path: string): readonly string[];
  stop(): Promise<void>;
}

/**
 * Start a proxy that withholds responses.
 *
 * @param lossy - paths whose responses the proxy drops, with the connection
 */
export async function startLossyProxy(targetUrl: string, lossy: readonly string[]): Promise<LossyProxy> {
  const handled: { readonly path: string; readonly body: string }[] = [];
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const path = request.url ?? '/';
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const json = { 'content-type': 'application/json' };
    const method = request.method ?? 'GET';
    const answer = await fetch(targetUrl + path, { method, headers: json, ...(body && { body }) });
    const text = await answer.text();
    handled.push({ path, body });
    if (lossy.includes(path)) return void request.socket.destroy();
    response.writeHead(answer.status, json).end(text);
  };
  const server = createServer((request, response) => {
    serve(request, response).catch(() => request.socket.destroy());
  });
  const { port, stop } = await listen(server);
  return {
    url: `http://127.0.0.1:${port}`,
    handledOn: (path) => handled.filter((one) => one.path === path).map(({ body }) => body),
    stop,
  };
}
