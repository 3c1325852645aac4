import { createServer, connect, type AddressInfo, type Socket } from 'node:net';

/** A TCP proxy in front of the server, so that a test can take the server away, also at a request with some text. */
export async function startProxy(target: string, cutAt?: string) {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let silent = false;
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    sockets.add(client).add(upstream);
    for (const socket of [client, upstream]) socket.on('error', () => socket.destroy());
    client.on('data', (chunk) => {
      if (cutAt !== undefined && chunk.includes(cutAt)) client.destroy();
      else if (!silent) upstream.write(chunk);
    });
    upstream.on('data', (chunk) => silent || client.write(chunk));
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(target);
  url.port = String((server.address() as AddressInfo).port);
  const cut = () => sockets.forEach((socket) => socket.destroy());
  return {
    url: url.href,
    cut,
    silence: (on: boolean) => {
      silent = on;
    },
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        cut();
      }),
  };
}
