import type { Logger } from 'pino';

/** A NestJS application, or a part without connections. */
export interface Stoppable {
  close(signal?: string): Promise<void>;
  getHttpServer?(): { closeAllConnections(): void };
}

/**
 * Stop cleanly on SIGTERM and SIGINT: take no new connection, let requests in flight finish, close everything,
 * exit with 0. A second signal ends the process at once. NestJS's own shutdown hooks have no deadline for requests in
 * flight, and no exit code for a failure.
 *
 * @param responseDeadlineMs - time for requests in flight before their connections are closed
 */
export function shutDownOnSignal(app: Stoppable, logger: Logger, responseDeadlineMs = 8_000): void {
  let stopping = false;
  const stop = async (signal: NodeJS.Signals): Promise<void> => {
    if (stopping) process.exit(1);
    stopping = true;
    logger.info({ signal }, 'stopping');
    const cutOff = setTimeout(() => {
      logger.warn('requests under way are cut off');
      app.getHttpServer?.().closeAllConnections();
    }, responseDeadlineMs);
    try {
      await app.close(signal);
      logger.info('stopped');
      process.exitCode = 0;
    } catch (err) {
      logger.error({ err }, 'stopping failed');
      process.exitCode = 1;
    }
    clearTimeout(cutOff);
    logger.flush(() => process.exit());
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, (name) => void stop(name));
}
