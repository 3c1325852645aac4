import type { Server, Socket } from 'node:net';

/** A server on a free port of this machine. */
export interface RunningServer {
  readonly port: number;
  /** Close it and every connection that is open. */
  stop(): Promise<void>;
}

/** Bind a server to a free port of 127.0.0.1. */
export async function listen(server: Server): Promise<RunningServer> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port');
  return {
    port: address.port,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
