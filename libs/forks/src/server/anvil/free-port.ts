import { createServer } from 'node:net';

/** Linux takes the ports of outgoing connections from 32768 on: one of those could take a free port before its server. */
const [first, count] = [20_000, 12_000];
let next = Math.floor(Math.random() * count);

/** Choose a port of 127.0.0.1 on which nothing listens; each call of a process gives another one. */
export async function freePort(): Promise<number> {
  const port = first + (next++ % count);
  return (await isFree(port)) ? port : freePort();
}

/** Whether nothing listens on a port of 127.0.0.1. */
export function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
