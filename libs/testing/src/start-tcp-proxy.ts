import { connect, createServer, type Socket } from 'node:net';
import { listen, type RunningServer } from './listen.js';

/** A proxy in front of a real server, to take that server away and bring it back. */
export interface TcpProxy extends RunningServer {
  readonly url: string;
  /** Cut every connection, and each new one as it comes, until `restore`. */
  cut(): void;
  restore(): void;
}

/** Start a proxy that forwards bytes to the server of `targetUrl`. */
export async function startTcpProxy(targetUrl: string): Promise<TcpProxy> {
  const target = new URL(targetUrl);
  const open = new Set<Socket>();
  let isCut = false;

  const server = createServer((inbound) => {
    if (isCut) return void inbound.destroy();
    const outbound = connect(Number(target.port), target.hostname);
    for (const [from, to] of [
      [inbound, outbound],
      [outbound, inbound],
    ] as const) {
      open.add(from);
      from.pipe(to);
      from.once('error', () => to.destroy());
      from.once('close', () => {
        open.delete(from);
        to.destroy();
      });
    }
  });
  const running = await listen(server);
  return {
    port: running.port,
    url: `http://127.0.0.1:${running.port}`,
    cut: () => {
      isCut = true;
      for (const socket of open) socket.destroy();
    },
    restore: () => {
      isCut = false;
    },
    stop: async () => {
      for (const socket of open) socket.destroy();
      await running.stop();
    },
  };
}
