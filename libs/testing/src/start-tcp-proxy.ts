import { connect, createServer, type Socket } from 'node:net';
import { Transform } from 'node:stream';
import { listen, type RunningServer } from './listen.js';

/** A proxy in front of a real server, to take that server away and bring it back. */
export interface TcpProxy extends RunningServer {
  readonly url: string;
  /** Cut every connection, and each new one as it comes, until `restore`. Forgets what `hold` waits for. */
  cut(): void;
  restore(): void;
  /**
   * Keep back for ever the next request whose bytes contain some texts, or the response to it. Several may wait at once.
   *
   * @param what - `response`: the server handles the request
   * @returns resolves once it is kept back
   */
  hold(what: 'request' | 'response', texts: readonly string[]): Promise<void>;
}

interface Hold {
  readonly what: 'request' | 'response';
  readonly texts: readonly string[];
  readonly reached: () => void;
}

/**
 * Start a proxy that forwards bytes to the server of `targetUrl`.
 *
 * @param onBytes - sees them on their way, much cheaper than an HTTP proxy
 */
export async function startTcpProxy(
  targetUrl: string,
  onBytes?: (what: 'request' | 'response', bytes: Buffer) => void,
): Promise<TcpProxy> {
  const target = new URL(targetUrl);
  const open = new Set<Socket>();
  let isCut = false;
  let awaited: Hold[] = [];

  /** The two directions of a connection; a held request never calls back. */
  const createFilters = () => {
    let holding: Hold | undefined;
    const requests = new Transform({
      transform(chunk: Buffer, _, done) {
        onBytes?.('request', chunk);
        holding ??= awaited.find(({ texts }) => texts.every((text) => chunk.includes(text, 0, 'latin1')));
        awaited = awaited.filter((hold) => hold !== holding);
        if (holding?.what === 'request') return holding.reached();
        done(undefined, chunk);
      },
    });
    const responses = new Transform({
      transform(chunk: Buffer, _, done) {
        onBytes?.('response', chunk);
        if (holding) return holding.reached();
        done(undefined, chunk);
      },
    });
    return { requests, responses };
  };

  const server = createServer({ noDelay: true }, (inbound) => {
    if (isCut) return void inbound.destroy();
    const outbound = connect({ port: Number(target.port), host: target.hostname, noDelay: true });
    const { requests, responses } = createFilters();
    for (const [from, filter, to] of [
      [inbound, requests, outbound],
      [outbound, responses, inbound],
    ] as const) {
      open.add(from);
      from.pipe(filter).pipe(to);
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
      awaited = [];
      for (const socket of open) socket.destroy();
    },
    restore: () => {
      isCut = false;
    },
    hold: (what, texts) => new Promise<void>((reached) => awaited.push({ what, texts, reached })),
    stop: async () => {
      for (const socket of open) socket.destroy();
      await running.stop();
    },
  };
}
