import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Registry } from 'prom-client';

/**
 * Serve metrics as Prometheus text at `/metrics`, on a port that need not be public.
 *
 * @param registry - the metrics to render
 * @param address - where to listen; port 0 takes any free port
 * @param health - the body of `/health`; without it, the path is not served
 * @returns the port, and how to stop
 */
export async function serveMetrics(
  registry: Pick<Registry, 'contentType' | 'metrics'>,
  address: { readonly host: string; readonly port: number },
  health?: () => object | Promise<object>,
): Promise<{ readonly port: number; close(): void }> {
  const server = createServer((request, response) => {
    const path = request.method === 'GET' ? request.url : undefined;
    const send = (body: Promise<string>, type: string) =>
      void body.then(
        (text) => response.setHeader('content-type', type).end(text),
        () => response.writeHead(500).end(),
      );
    if (path === '/health' && health)
      return send(Promise.resolve(health()).then(JSON.stringify), 'application/json');
    if (path !== '/metrics') return void response.writeHead(404).end();
    send(registry.metrics(), registry.contentType);
  });
  server.listen(address.port, address.host);
  await once(server, 'listening');
  const bound = server.address();
  return {
    port: typeof bound === 'object' && bound ? bound.port : address.port,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
