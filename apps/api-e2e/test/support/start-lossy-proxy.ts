import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listen } from '@yield-vault/testing';

/** A response that the proxy gives in place of the server. */
export interface Substitute {
  readonly status: number;
  readonly body: object;
}

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
 * @param lossy - On these paths the proxy drops the server's first response and the connection. A repeated request gets
 * the substitute, or again no response where there is none.
 */
export async function startLossyProxy(
  targetUrl: string,
  lossy: Readonly<Record<string, Substitute | undefined>>,
): Promise<LossyProxy> {
  const handled: { readonly path: string; readonly body: string }[] = [];
  const handledOn = (path: string) => handled.filter((one) => one.path === path).map(({ body }) => body);

  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const path = request.url ?? '/';
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const substitute = lossy[path];
    const json = { 'content-type': 'application/json' };
    if (substitute && handledOn(path).length > 0) {
      response.writeHead(substitute.status, json).end(JSON.stringify(substitute.body));
      return;
    }
    const method = request.method ?? 'GET';
    const answer = await fetch(targetUrl + path, { method, headers: json, ...(body && { body }) });
    const text = await answer.text();
    handled.push({ path, body });
    if (path in lossy) return void request.socket.destroy();
    response.writeHead(answer.status, json).end(text);
  };

  const server = createServer((request, response) => {
    serve(request, response).catch(() => request.socket.destroy());
  });
  const { port, stop } = await listen(server);
  return { url: `http://127.0.0.1:${port}`, handledOn, stop };
}
