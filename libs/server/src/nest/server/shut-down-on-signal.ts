import type { Logger } from 'pino';

/** What a process runs: a NestJS application, or something without connections. */
export interface Stoppable {
  close(): Promise<void>;
  getHttpServer?(): { closeAllConnections(): void };
}

/**
 * Stop cleanly on SIGTERM and SIGINT: take no new connection, let answers under way finish, close everything,
 * exit with 0. A second signal ends the process at once.
 *
 * @param answerDeadlineMs - how long answers under way may take before they are cut off
 */
export function shutDownOnSignal(app: Stoppable, logger: Logger, answerDeadlineMs = 8_000): void {
  let stopping = false;
  const stop = async (signal: NodeJS.Signals): Promise<void> => {
    if (stopping) process.exit(1);
    stopping = true;
    logger.info({ signal }, 'stopping');
    const cutOff = setTimeout(() => {
      logger.warn('requests under way are cut off');
      app.getHttpServer?.().closeAllConnections();
    }, answerDeadlineMs);
    try {
      await app.close();
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
