import { createServer } from 'node:http';
import { listen } from '@yield-vault/testing';

/** Changes of a service that cannot be trusted, to one path. */
export interface Tampering {
  readonly path: string;
  readonly request?: (body: object) => object;
  readonly response?: (body: object) => Promise<object>;
}

/** A service that cannot be trusted: a real one, whose requests and responses are changed. */
export interface TamperingProxy {
  readonly url: string;
  /** Paths that were requested, oldest first. */
  readonly paths: string[];
  /** Change a path; `undefined` ends it. */
  tamper(tampering: Tampering | undefined): void;
  stop(): Promise<void>;
}

/** Start a proxy in front of a server. */
export async function startTamperingProxy(targetUrl: string): Promise<TamperingProxy> {
  const paths: string[] = [];
  let tampering: Tampering | undefined;
  const server = createServer((request, response) => {
    void (async () => {
      const path = request.url ?? '/';
      paths.push(path);
      let body = '';
      for await (const chunk of request) body += String(chunk);
      const changes = tampering?.path === path ? tampering : undefined;
      if (changes?.request) body = JSON.stringify(changes.request(JSON.parse(body) as object));
      const headers = { 'content-type': 'application/json' };
      const answer = await fetch(targetUrl + path, {
        method: request.method!,
        headers,
        ...(body && { body }),
      });
      const text = await answer.text();
      const changed = changes?.response && answer.ok;
      response
        .writeHead(answer.status, headers)
        .end(changed ? JSON.stringify(await changes.response!(JSON.parse(text) as object)) : text);
    })().catch(() => request.socket.destroy());
  });
  const { port, stop } = await listen(server);
  return { url: `http://127.0.0.1:${port}`, paths, tamper: (next) => void (tampering = next), stop };
}
